import { Button } from 'react-aria-components';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { useUi } from '../ui/ui-context.ts';
import styles from './top-bar.module.css';

/** Opens the feed on pages that are too narrow to show it beside the map. */
export function FeedButton() {
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
