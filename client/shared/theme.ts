import { type Theme, themeSchema } from '../../shared/portlet-messages.ts';

export const THEME_KEY = 'liminal:theme';

/** The theme is stored as plain text and not as JSON, because `theme-boot.js` reads it too. */
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
