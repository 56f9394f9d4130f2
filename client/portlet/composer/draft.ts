/** Text that was typed but not sent, stored in the browser so that it survives a refresh. */
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
        // Without storage the draft does not survive a refresh, but the text in the field is safe.
      }
    },
  };
}
