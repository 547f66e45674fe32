import { registerHooks } from 'node:module';

/** The words of the editor's API, in English; nothing else of it. */
const words = `
export const l10n = { t: (text, ...values) => text.replace(/\\{(\\d+)\\}/g, (_all, index) => String(values[Number(index)])) };
export const env = { language: 'en' };
`;

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'vscode'
      ? { url: `data:text/javascript,${encodeURIComponent(words)}`, shortCircuit: true }
      : next(specifier, context),
});

/** Pages in plain Node. Their builders take nothing but words from the editor, and are imported after these are there. */
export const { doctorDocument } = await import('../../src/features/doctor/doctorDocument.ts');
export const { operationsDocument } = await import('../../src/features/operationsLog/operationsDocument.ts');
export const { verdictText } = await import('../../src/features/operationsLog/verdictText.ts');
export const { planDocument } = await import('../../src/features/sync/planDocument.ts');
export const { resultDocument } = await import('../../src/features/sync/resultDocument.ts');
export const { fleetDocument } = await import('../../src/features/fleetTrust/fleetDocument.ts');
