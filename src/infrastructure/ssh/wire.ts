export { sshInteger, sshString, WireReader } from '../../domain/keys/wire.ts';
