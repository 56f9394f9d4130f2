import type { TrustAnswer, TrustQuestion } from './trust-dialog.ts';

async function load(root: HTMLElement) {
  const { createTrustDialog } = await import('./trust-dialog.ts');
  const dialog = createTrustDialog();
  root.append(dialog.element);
  return dialog;
}

/** Asks whether to trust a directory. The dialog is loaded when it is needed; nothing is decided if that fails. */
export function createAskTrust(root: HTMLElement): (question: TrustQuestion) => Promise<TrustAnswer> {
  let dialog: ReturnType<typeof load> | undefined;
  return async (question) => {
    dialog ??= load(root);
    try {
      return await (await dialog).ask(question);
    } catch {
      dialog = undefined;
      return 'cancel';
    }
  };
}
