/** Where a message that waits for another program to end is stored. */
export const waitingKey = (sessionId: string): string => `liminal:take-over:${sessionId}`;
