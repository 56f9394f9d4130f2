import { setText } from '../../shared/dom.ts';
import { readCode } from '../../shared/markdown/code-text.ts';
import type { Environment } from '../base/environment.ts';

/** One listener for the copy buttons of all code blocks, including future ones. */
export function enableCopyButtons(root: HTMLElement, env: Pick<Environment, 'copy' | 'after'>): void {
  root.addEventListener('click', ({ target }) => {
    const button = target instanceof Element ? target.closest<HTMLElement>('button.copy') : null;
    const code = button?.closest('.code')?.querySelector('code');
    if (!button || !code) return;
    env.copy(readCode(code)).then(
      () => showResult(button, 'Copied', env),
      () => showResult(button, 'Not allowed', env),
    );
  });
}

function showResult(button: HTMLElement, result: string, { after }: Pick<Environment, 'after'>): void {
  setText(button, result);
  after(1500, () => setText(button, 'Copy'));
}
