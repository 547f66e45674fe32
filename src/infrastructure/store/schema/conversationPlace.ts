/** Version 11: the place that a person gave a conversation among the others; NULL = none. */
export const conversationPlace = `
ALTER TABLE conversations ADD COLUMN place REAL;
`;
