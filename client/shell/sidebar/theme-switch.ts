import type { Theme } from '../../../shared/portlet-messages.ts';
import { h, setAttribute } from '../../shared/dom.ts';
import { type IconName, icon } from '../../shared/icons.ts';

const next: Readonly<Record<Theme, Theme>> = { system: 'dark', dark: 'light', light: 'system' };
const themes: Readonly<Record<Theme, { icon: IconName; label: string }>> = {
  system: { icon: 'screen', label: 'system' },
  dark: { icon: 'moon', label: 'dark' },
  light: { icon: 'sun', label: 'light' },
};

/** A button that cycles through the themes. */
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
      const label = `Theme: ${themes[theme].label}`;
      element.replaceChildren(icon(themes[theme].icon));
      setAttribute(element, 'aria-label', label);
      setAttribute(element, 'title', `${label}. Switch to ${themes[next[theme]].label}.`);
    },
  };
}
