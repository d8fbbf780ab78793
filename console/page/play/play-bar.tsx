import { Button } from 'react-aria-components';
import { formatTime } from '../../format.ts';
import type { ClockView, DemoView } from '../../views.ts';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { PauseIcon, PlayIcon } from '../controls/icons.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { postPlay } from '../store/api.ts';
import { usePage } from '../store/use-page.ts';
import { useClusterNow } from '../ui/use-cluster-now.ts';
import { InterruptButton } from './interrupt-button.tsx';
import styles from './play.module.css';
import { ScaleButton } from './scale-button.tsx';
import { ShortageButton } from './shortage-button.tsx';

/** Controls for time and for the simulated cluster. */
export function PlayBar() {
  const play = usePage(({ model }) => model?.play);
  const info = usePage(({ model }) => model?.info);
  const clock = usePage((state) => state.clock);
  if (!play || !clock) return null;
  return (
    <section className={cx(styles.bar)} aria-label="Playground">
      <PauseButton isPaused={clock.paused} />
      <SpeedChoice speed={clock.speed} />
      <Time />
      {info?.seed !== undefined && <p className={cx(styles.about)}>simulated, seed {info.seed}</p>}
      <div className={cx(styles.try)}>
        Try
        <ScaleButton workloads={play.workloads} />
        <InterruptButton />
        <ShortageButton play={play} />
      </div>
      {play.demo && <DemoCaption {...play.demo} />}
    </section>
  );
}

/** Shows the current scene of the script, or that an action of the user stopped it. */
function DemoCaption({ caption, isStopped }: DemoView) {
  return (
    <div className={cx(styles.caption)} data-testid="demo-caption">
      <p role="status">
        {isStopped ? 'The demo stopped when you changed the cluster. It is yours now.' : caption}
      </p>
      {isStopped && (
        <Button
          className={cx(controls.button)}
          data-testid="play-demo"
          onPress={() => void postPlay('demo', {})}
        >
          Continue the demo
        </Button>
      )}
    </div>
  );
}

function PauseButton({ isPaused }: { readonly isPaused: boolean }) {
  return (
    <Button
      className={cx(controls.button, styles.pause)}
      data-testid="play-pause"
      onPress={() => void postPlay('clock', { paused: !isPaused })}
    >
      {isPaused ? <PlayIcon /> : <PauseIcon />}
      {isPaused ? 'Go on' : 'Pause'}
    </Button>
  );
}

const SPEEDS = ['1', '10', '60', 'max'] as const;

function SpeedChoice({ speed }: Pick<ClockView, 'speed'>) {
  return (
    <Segmented
      label="Speed of simulated time"
      testId="play-speed"
      value={String(speed)}
      options={SPEEDS.map((value) => ({
        value: value as string,
        text: value === 'max' ? 'max' : `${value}×`,
      }))}
      onChange={(value) =>
        void postPlay('clock', { speed: value === 'max' ? 'max' : Number(value) })
      }
    />
  );
}

function Time() {
  const now = useClusterNow();
  return <p className={cx(styles.time)}>{formatTime(now)}</p>;
}
