import { createRedactor, createSecretRegistry } from '../../src/agentkit/index.ts';

/** The real redactor of a window that knows no value yet: it goes by shapes alone. */
export const shapeRedactor = createRedactor(createSecretRegistry());
