import { MAX_TITLE_LENGTH } from '../../../shared/commands.ts';
import { h } from '../../shared/dom.ts';

export interface TitleFieldOptions {
  readonly title: string;
  /** The user has finished. Called once, with null if the title stays as it is. */
  readonly onEnd: (title: string | null) => void;
}

/** Edits the title of a session in its row. Enter and leaving the field save, Escape does not. */
export function createTitleField({ title, onEnd }: TitleFieldOptions): HTMLInputElement {
  let hasEnded = false;
  function end(value: string | null): void {
    if (hasEnded) return;
    hasEnded = true;
    onEnd(value);
  }
  const field = h('input', {
    type: 'text',
    class: 'title-field',
    'aria-label': 'Session title',
    maxlength: MAX_TITLE_LENGTH,
    autocomplete: 'off',
    on: {
      keydown: (event) => {
        // The keys of the list and of the page are for rows.
        if (!event.ctrlKey && !event.metaKey && !event.altKey) event.stopPropagation();
        if (event.isComposing) return;
        if (event.key === 'Enter') end(field.value);
        else if (event.key === 'Escape') end(null);
        else return;
        event.preventDefault();
      },
      blur: () => {
        // A row that moves loses the focus and gets it back at once.
        queueMicrotask(() => {
          if (document.activeElement !== field) end(field.value);
        });
      },
    },
  });
  field.value = title;
  return field;
}
