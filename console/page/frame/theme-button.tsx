import { IconButton } from '../controls/icon-button.tsx';
import { ThemeIcon } from '../controls/icons.tsx';
import { useUi } from '../ui/ui-context.ts';
import type { Theme } from '../ui/use-theme.ts';
import { THEMES } from '../ui/use-theme.ts';

export const nextTheme = (theme: Theme): Theme =>
  THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';

export function ThemeButton() {
  const { theme, setTheme } = useUi();
  return (
    <IconButton label={`Theme: ${theme} (T)`} onPress={() => setTheme(nextTheme(theme))}>
      <ThemeIcon />
    </IconButton>
  );
}
