import { utf8Max } from '../../../agentkit/index.ts';

/** Whether it is absolute depends on this machine and is said when it is used. */
export const localPathInput = utf8Max(4_096)
  .refine((text) => !/[\0\r\n]/.test(text), { error: 'must be without NUL, CR and LF' })
  .describe(
    'Absolute path on the machine of the user, inside one of the folders that the user allows for transfers.',
  );
