import { useState } from 'react';
import { Button } from 'react-aria-components';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { formatTime } from '../../format.ts';
import type { ClockView, DemoView, InfoView, NodeView, PlaygroundView } from '../../views.ts';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { PauseIcon, PlayIcon } from '../controls/icons.tsx';
import { Segmented } from '../controls/segmented.tsx';
import { SelectField } from '../controls/select-field.tsx';
import { postPlay, SNAPSHOT_PATH } from '../store/api.ts';
import { usePage } from '../store/use-page.ts';
import { useUi } from '../ui/ui-context.ts';
import { useClusterNow } from '../ui/use-cluster-now.ts';
import { DriftButton, SpotPricesButton, ZoneButton } from './cloud-buttons.tsx';
import styles from './play.module.css';
import { PlayDialog } from './play-dialog.tsx';
import { ScaleButton } from './scale-button.tsx';

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

/** Starts the simulation anew; all pages load themselves again when the new one answers. */
function ResetButton({ seed = 1 }: { readonly seed: number | undefined }) {
  const [text, setText] = useState(`${seed}`);
  const chosen = Number(text);
  return (
    <PlayDialog
      name="reset"
      label="Reset"
      title="Start the simulation anew"
      action="Reset"
      isReady={text !== '' && Number.isInteger(chosen) && chosen >= 0}
      onAct={() => postPlay('reset', { seed: chosen })}
    >
      <label className={cx(controls.field)}>
        <span className={cx(controls.label)}>Seed; equal seeds give equal runs</span>
        <input
          className={cx(styles.number)}
          type="number"
          min={0}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
    </PlayDialog>
  );
}

const NOTICES = [
  { id: 'spot-interruption', text: 'Interruption: gone in two minutes' },
  { id: 'rebalance-recommendation', text: 'Rebalance recommendation: at risk' },
] as const;

function InterruptButton() {
  const { selected } = useUi();
  const nodes = usePage(({ model }) => model?.nodes);
  const [chosen, setChosen] = useState<string>();
  const [notice, setNotice] = useState<string>(NOTICES[0].id);

  const spot = [...(nodes?.values() ?? [])].map(({ node }) => node).filter(canBeInterrupted);
  const selectedNode = chosen ?? (selected?.kind === 'node' ? selected.name : undefined);
  const node = spot.find(({ name }) => name === selectedNode) ?? spot[0];

  return (
    <PlayDialog
      name="interrupt"
      label="Interrupt"
      title="Interrupt a node"
      action="Interrupt"
      isReady={node !== undefined}
      onAct={() => postPlay('interrupt', { node: node?.name, notice })}
    >
      <SelectField
        label={spot.length === 0 ? 'There is no spot node now' : 'Spot node'}
        choices={spot.map(({ name, instanceType, zone }) => ({
          id: name,
          text: `${name}, ${instanceType} in ${zone}`,
        }))}
        value={node?.name ?? ''}
        onChange={setChosen}
      />
      <SelectField label="Notice from EC2" choices={NOTICES} value={notice} onChange={setNotice} />
    </PlayDialog>
  );
}

/** EC2 interrupts spot instances only, and each only once. */
const canBeInterrupted = ({ capacityType, state, node }: NodeView): boolean =>
  capacityType === 'spot' && node !== undefined && state !== 'interrupted' && state !== 'draining';

const ANY = 'any';
const MINUTES = [3, 10, 30, 120];

function ShortageButton({ play }: { readonly play: PlaygroundView }) {
  const [instanceType, setInstanceType] = useState(play.instanceTypes[0] ?? ANY);
  const [zone, setZone] = useState(ANY);
  const [capacityType, setCapacityType] = useState('spot');
  const [minutes, setMinutes] = useState('10');

  return (
    <PlayDialog
      name="shortage"
      label="Run dry"
      title="Run an offering dry"
      action="Run dry"
      isReady
      onAct={() =>
        postPlay('shortage', {
          ...unlessAny('instanceType', instanceType),
          ...unlessAny('zone', zone),
          ...unlessAny('capacityType', capacityType),
          forMs: Number(minutes) * MINUTE_MS,
        })
      }
    >
      <SelectField
        label="Instance type"
        choices={withAny(play.instanceTypes, 'every type')}
        value={instanceType}
        onChange={setInstanceType}
      />
      <SelectField label="Zone" choices={withAny(play.zones, 'every zone')} value={zone} onChange={setZone} />
      <SelectField
        label="Capacity type"
        choices={withAny(['spot', 'on-demand'], 'spot and on-demand')}
        value={capacityType}
        onChange={setCapacityType}
      />
      <SelectField
        label="For"
        choices={MINUTES.map((each) => ({ id: String(each), text: `${each} minutes` }))}
        value={minutes}
        onChange={setMinutes}
      />
    </PlayDialog>
  );
}

const withAny = (names: readonly string[], any: string) => [
  { id: ANY, text: any },
  ...names.map((name) => ({ id: name, text: name })),
];

const unlessAny = (field: string, value: string): Readonly<Record<string, string>> =>
  value === ANY ? {} : { [field]: value };
