import { Button } from 'react-aria-components';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { IconButton } from '../controls/icon-button.tsx';
import { ThemeIcon } from '../controls/icons.tsx';
import { ObjectSearch } from '../search/object-search.tsx';
import { usePage } from '../store/use-page.ts';
import { useUi } from '../ui/ui-context.ts';
import { THEMES, type Theme } from '../ui/use-theme.ts';
import { ConnectionState } from './connection-state.tsx';
import { HelpButton } from './help-button.tsx';
import styles from './top-bar.module.css';

export function TopBar() {
  const info = usePage(({ model }) => model?.info);

  return (
    <header className={cx(styles.bar)}>
      <h1 className={cx(styles.brand)}>
        <Mark />
        Mortise
      </h1>
      {info && (
        <p className={cx(styles.home)}>
          {info.cluster !== info.home && `${info.home} `}
          <strong>{info.cluster}</strong> · {info.region}
        </p>
      )}
      <div className={cx(styles.end)}>
        <ObjectSearch />
        <ConnectionState />
        <FeedButton />
        <HelpButton />
        <ThemeButton />
      </div>
    </header>
  );
}

/** The logo: a tenon in its mortise. */
function Mark() {
  return (
    <svg width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <path className={cx(styles.wood)} d="M1 6h4v4h6V6h4v9H1z" />
      <path className={cx(styles.tenon)} d="M2 1h12v4h-3v4H5V5H2z" />
    </svg>
  );
}

/** Opens the feed on pages that are too narrow to show it beside the map. */
function FeedButton() {
  const { isFeedOpen, setFeedOpen } = useUi();
  return (
    <Button
      className={cx(controls.button, styles.feedButton)}
      aria-pressed={isFeedOpen}
      onPress={() => setFeedOpen(!isFeedOpen)}
    >
      Events
    </Button>
  );
}

export const nextTheme = (theme: Theme): Theme =>
  THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';

function ThemeButton() {
  const { theme, setTheme } = useUi();
  return (
    <IconButton label={`Theme: ${theme} (T)`} onPress={() => setTheme(nextTheme(theme))}>
      <ThemeIcon />
    </IconButton>
  );
}
