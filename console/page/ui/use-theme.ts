import { useCallback, useEffect, useState } from 'react';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];
export type ShownTheme = 'light' | 'dark';

const KEY = 'mortise-theme';
const DARK = '(prefers-color-scheme: dark)';

const remembered = (): Theme => THEMES.find((theme) => theme === localStorage.getItem(KEY)) ?? 'system';

const shownOf = (theme: Theme): ShownTheme =>
  theme === 'system' ? (matchMedia(DARK).matches ? 'dark' : 'light') : theme;

export interface ThemeChoice {
  readonly theme: Theme;
  /** The theme that `system` resolves to. */
  readonly shown: ShownTheme;
  setTheme(theme: Theme): void;
}

/** Stored by the browser; an open tab follows the system. */
export function useTheme(): ThemeChoice {
  const [theme, setChosen] = useState(remembered);
  const [shown, setShown] = useState(() => shownOf(remembered()));

  useEffect(() => {
    const follow = () => setShown(shownOf(theme));
    follow();
    const media = matchMedia(DARK);
    media.addEventListener('change', follow);
    return () => media.removeEventListener('change', follow);
  }, [theme]);

  useEffect(() => {
    document.documentElement.dataset.theme = shown;
  }, [shown]);

  const setTheme = useCallback((chosen: Theme) => {
    localStorage.setItem(KEY, chosen);
    setChosen(chosen);
  }, []);
  return { theme, shown, setTheme };
}
