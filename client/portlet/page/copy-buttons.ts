import { readCode } from '../../shared/markdown/code-text.ts';
import type { Environment } from '../base/environment.ts';

/** One listener for the copy buttons of all code blocks, also those that are yet to come. */
export function enableCopyButtons(root: HTMLElement, env: Pick<Environment, 'copy' | 'after'>): void {
  root.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('button.copy') : null;
    const code = button?.closest('.code')?.querySelector('code');
    if (!button || !code) return;
    env.copy(readCode(code)).then(
      () => tell(button, 'Copied', env),
      () => tell(button, 'Not allowed', env),
    );
  });
}

function tell(button: HTMLElement, word: string, { after }: Pick<Environment, 'after'>): void {
  button.textContent = word;
  after(1500, () => {
    button.textContent = 'Copy';
  });
}
