import { Button } from 'react-aria-components';
import { formatTime } from '../../format.ts';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { IconButton } from '../controls/icon-button.tsx';
import { ThemeIcon } from '../controls/icons.tsx';
import { ObjectSearch } from '../search/object-search.tsx';
import { usePage } from '../store/use-page.ts';
import { SCREENS, type Screen } from '../ui/address.ts';
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
        <span className={cx(styles.name)}>Mortise</span>
      </h1>
      {info && (
        <p className={cx(styles.source)}>
          {info.cluster !== info.source && `${info.source} `}
          <strong>{info.cluster}</strong> · {info.region}
        </p>
      )}
      <Screens />
      <div className={cx(styles.end)}>
        <ObjectSearch />
        <PastButton />
        <ConnectionState />
        <FeedButton />
        <HelpButton />
        <ThemeButton />
      </div>
    </header>
  );
}

const TITLES: Readonly<Record<Screen, string>> = {
  cluster: 'Cluster',
  timeline: 'Timeline',
  cost: 'Cost',
  nodepools: 'NodePools',
  whatif: 'What-if',
};

function Screens() {
  const { screen: shown, setScreen } = useUi();
  return (
    <nav className={cx(styles.screens)} aria-label="Screens">
      {SCREENS.map((screen) => (
        <Button
          key={screen}
          className={cx(styles.screen)}
          data-testid={`screen-${screen}`}
          {...(screen === shown && { 'aria-current': 'page' as const })}
          onPress={() => setScreen(screen)}
        >
          {TITLES[screen]}
        </Button>
      ))}
    </nav>
  );
}

/** The whole page shows one time; this names it while it is not now. */
function PastButton() {
  const { at, setAt } = useUi();
  if (at === undefined) return null;
  return (
    <Button className={cx(controls.button, styles.past)} data-testid="past" onPress={() => setAt(undefined)}>
      Showing {formatTime(at)} · back to live
    </Button>
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

export const nextTheme = (theme: Theme): Theme => THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';

function ThemeButton() {
  const { theme, setTheme } = useUi();
  return (
    <IconButton label={`Theme: ${theme} (T)`} onPress={() => setTheme(nextTheme(theme))}>
      <ThemeIcon />
    </IconButton>
  );
}
