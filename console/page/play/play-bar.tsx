import { Button } from 'react-aria-components';
import { formatTime } from '../../format.ts';
import type { ClockView, DemoView, InfoView } from '../../views.ts';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { PauseIcon, PlayIcon } from '../controls/icons.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { postPlay, SNAPSHOT_PATH } from '../store/api.ts';
import { usePage } from '../store/use-page.ts';
import { useClusterNow } from '../ui/use-cluster-now.ts';
import { DriftButton, SpotPricesButton, ZoneButton } from './cloud-buttons.tsx';
import { InterruptButton } from './interrupt-button.tsx';
import styles from './play.module.css';
import { ResetButton } from './reset-button.tsx';
import { ScaleButton } from './scale-button.tsx';
import { ShortageButton } from './shortage-button.tsx';

/** Controls for time and for the simulated cluster. */
export function PlayBar() {
  const play = usePage(({ model }) => model?.play);
  const info = usePage(({ model }) => model?.info);
  const isPaused = usePage(({ clock }) => clock?.paused ?? false);
  const speed = usePage(({ clock }) => clock?.speed);
  if (!play || speed === undefined) return null;
  return (
    <section className={cx(styles.bar)} aria-label="Playground">
      <PauseButton isPaused={isPaused} />
      <Button className={cx(controls.button)} data-testid="play-step" onPress={() => void postPlay('step', {})}>
        Step
      </Button>
      <SpeedChoice speed={speed} />
      <Time />
      {info?.seed !== undefined && <p className={cx(styles.about)}>simulated, seed {info.seed}</p>}
      <div className={cx(styles.try)}>
        Try
        <ScaleButton workloads={play.workloads} />
        <InterruptButton />
        <ShortageButton play={play} />
        <DriftButton pools={play.pools} />
        <ZoneButton zones={play.zones} />
        <SpotPricesButton />
      </div>
      <DemoRow demo={play.demo} info={info} />
    </section>
  );
}

interface DemoRowProps {
  readonly demo: DemoView | undefined;
  readonly info: InfoView | undefined;
}

/** Shows the current scene of the script, or that an action of the user stopped it. */
function DemoRow({ demo, info }: DemoRowProps) {
  return (
    <div className={cx(styles.caption)} data-testid="demo-caption">
      <p role="status">{demo?.isStopped ? STOPPED : demo?.caption}</p>
      <div className={cx(styles.ends)}>
        {demo?.isStopped && (
          <Button className={cx(controls.button)} data-testid="play-demo" onPress={() => void postPlay('demo', {})}>
            Continue the demo
          </Button>
        )}
        {info && <ResetButton seed={info.seed} />}
        <a
          className={cx(controls.button)}
          data-testid="play-export"
          href={SNAPSHOT_PATH}
          download
          title="For mortise replay and mortise console --from"
        >
          Export
        </a>
      </div>
    </div>
  );
}

const STOPPED = 'The demo stopped when you changed the cluster. It is yours now.';

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
      onChange={(value) => void postPlay('clock', { speed: value === 'max' ? 'max' : Number(value) })}
    />
  );
}

function Time() {
  const now = useClusterNow();
  return <p className={cx(styles.time)}>{formatTime(now)}</p>;
}
