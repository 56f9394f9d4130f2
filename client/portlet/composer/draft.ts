/** What was typed and not sent yet, kept in the browser so that it survives a refresh. */
export interface Draft {
  read(): string;
  write(text: string): void;
}

export function createDraft(storage: Storage, sessionId: string): Draft {
  const key = `liminal:draft:${sessionId}`;
  return {
    read() {
      try {
        return storage.getItem(key) ?? '';
      } catch {
        return '';
      }
    },
    write(text) {
      try {
        if (text === '') storage.removeItem(key);
        else storage.setItem(key, text);
      } catch {
        // A browser that refuses to store costs the draft's survival, not the draft.
      }
    },
  };
}
