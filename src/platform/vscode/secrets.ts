import type * as vscode from 'vscode';
import type { SecretStorePort } from '../../application/ports/prompts.ts';
import { localFault } from '../../domain/fault.ts';

/**
 * SecretStorage as a port. A value is read back after it was written; what cannot be kept or read is the fault `no-keyring`, never
 * an empty value. Source: vscode.md 8; ssh.md 10.2.
 */
export function secretStore(storage: vscode.SecretStorage): SecretStorePort {
  return {
    async get(key) {
      try {
        return await storage.get(key);
      } catch (error) {
        throw localFault('no-keyring', {}, error);
      }
    },
    async set(key, value) {
      try {
        await storage.store(key, value);
        if ((await storage.get(key)) === value) return;
      } catch (error) {
        throw localFault('no-keyring', {}, error);
      }
      throw localFault('no-keyring');
    },
    async delete(key) {
      try {
        await storage.delete(key);
      } catch (error) {
        throw localFault('no-keyring', {}, error);
      }
    },
  };
}
