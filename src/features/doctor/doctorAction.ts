/** What the buttons of the doctor's page give back, besides lines of files. */
export const DoctorAction = { fix: 'fix', again: 'again', export: 'export', compare: 'compare' } as const;
