/** Version 2: plan mode of a conversation, what became of a plan, and the facts behind a summary. */
export const plansAndFacts = `
ALTER TABLE conversations ADD COLUMN planning INTEGER NOT NULL DEFAULT 0;
ALTER TABLE calls ADD COLUMN plan_outcome TEXT;
ALTER TABLE compactions ADD COLUMN facts TEXT;
`;
