import { type Theme, themeSchema } from '../../shared/portlet-messages.ts';

export const THEME_KEY = 'liminal:theme';

/** The chosen theme is stored as a bare word, because `theme-boot.js` reads it before anything else is loaded. */
export function readTheme(storage: Storage): Theme {
  const theme = themeSchema.safeParse(storage.getItem(THEME_KEY));
  return theme.success ? theme.data : 'system';
}

export function storeTheme(storage: Storage, theme: Theme): void {
  storage.setItem(THEME_KEY, theme);
}

export function applyTheme(root: HTMLElement, theme: Theme): void {
  if (theme === 'system') delete root.dataset.theme;
  else root.dataset.theme = theme;
}
