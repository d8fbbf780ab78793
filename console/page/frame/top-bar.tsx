import { cx } from '../class-names.ts';
import { ObjectSearch } from '../search/object-search.tsx';
import { usePage } from '../store/use-page.ts';
import { ConnectionState } from './connection-state.tsx';
import { FeedButton } from './feed-button.tsx';
import { HelpButton } from './help-button.tsx';
import { ThemeButton } from './theme-button.tsx';
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
