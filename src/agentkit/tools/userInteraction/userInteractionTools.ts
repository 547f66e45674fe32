import type { Tool } from '../../tool.ts';
import { requestUserInput } from './requestUserInput.ts';
import { requestUserSecret, type SecretConsumers, type UserSecretPort } from './requestUserSecret.ts';
import type { UserInputPort } from './userQuestion.ts';

/** The built-in group `userInteraction`. What is not there contributes no tool. Source: agent runtime contract, section 1. */
export function userInteractionTools(ports: {
  readonly input?: UserInputPort | undefined;
  readonly secret?: UserSecretPort | undefined;
  readonly consumers?: SecretConsumers | undefined;
}): readonly Tool[] {
  const { input, secret, consumers } = ports;
  const canUseSecrets = consumers?.tools.some(({ purposes }) => purposes.length > 0) === true;
  return [
    ...(input === undefined ? [] : [requestUserInput(input)]),
    ...(secret === undefined || !canUseSecrets ? [] : [requestUserSecret(secret, consumers)]),
  ];
}
