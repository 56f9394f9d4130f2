import type { Theme } from '../../../shared/portlet-messages.ts';
import { h, setAttribute } from '../../shared/dom.ts';
import { type IconName, icon } from '../../shared/icons.ts';

const next: Readonly<Record<Theme, Theme>> = { system: 'dark', dark: 'light', light: 'system' };
const faces: Readonly<Record<Theme, { icon: IconName; words: string }>> = {
  system: { icon: 'screen', words: 'as the system' },
  dark: { icon: 'moon', words: 'dark' },
  light: { icon: 'sun', words: 'light' },
};

/** One button that goes through the themes. */
export function createThemeSwitch(onChoose: (theme: Theme) => void) {
  let shown: Theme = 'system';
  const element = h('button', {
    type: 'button',
    class: 'quiet icon',
    on: { click: () => onChoose(next[shown]) },
  });
  return {
    element,
    render(theme: Theme): void {
      if (theme === shown && element.hasChildNodes()) return;
      shown = theme;
      const label = `Theme: ${faces[theme].words}`;
      element.replaceChildren(icon(faces[theme].icon));
      setAttribute(element, 'aria-label', label);
      setAttribute(element, 'title', `${label}. Click for ${faces[next[theme]].words}.`);
    },
  };
}
