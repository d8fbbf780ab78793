import { useState } from 'react';
import {
  Button,
  Label,
  Slider,
  SliderOutput,
  SliderThumb,
  SliderTrack,
} from 'react-aria-components';
import type { WorkloadView } from '../../views.ts';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { SelectField } from '../controls/select-field.tsx';
import { postPlay } from '../store/api.ts';
import styles from './play.module.css';
import { PlayDialog } from './play-dialog.tsx';

const idOf = ({ kind, namespace, name }: WorkloadView): string => `${kind} ${namespace}/${name}`;

export function ScaleButton({ workloads }: { readonly workloads: readonly WorkloadView[] }) {
  const [chosen, setChosen] = useState<string>();
  const [chosenReplicas, setChosenReplicas] = useState<number>();
  const workload = workloads.find((candidate) => idOf(candidate) === chosen) ?? workloads[0];
  const replicas = chosenReplicas ?? workload?.replicas ?? 0;

  const scale = async () => {
    if (!workload) return { outcome: 'refused', why: 'There is no workload.' } as const;
    const { kind, namespace, name } = workload;
    const result = await postPlay('scale', { kind, namespace, name, replicas });
    setChosenReplicas(undefined);
    return result;
  };

  return (
    <PlayDialog
      name="scale"
      label="Scale"
      title="Scale a workload"
      action={`Scale to ${replicas}`}
      isReady={workload !== undefined && replicas !== workload.replicas}
      onAct={scale}
    >
      <SelectField
        label="Workload"
        choices={workloads.map((each) => ({
          id: idOf(each),
          text: `${each.namespace}/${each.name}, now ${each.replicas}`,
        }))}
        value={workload ? idOf(workload) : ''}
        onChange={(id) => {
          setChosen(id);
          setChosenReplicas(undefined);
        }}
      />
      <Replicas
        key={chosen}
        replicas={replicas}
        now={workload?.replicas ?? 0}
        onChange={setChosenReplicas}
      />
    </PlayDialog>
  );
}

interface ReplicasProps {
  readonly replicas: number;
  readonly now: number;
  readonly onChange: (replicas: number) => void;
}

function Replicas({ replicas, now, onChange }: ReplicasProps) {
  const maxReplicas = Math.max(50, now * 3, replicas);
  const steps = [
    { text: '+10', to: replicas + 10 },
    { text: '×2', to: replicas * 2 },
    { text: '0', to: 0 },
  ];
  return (
    <Slider
      className={cx(styles.slider)}
      minValue={0}
      maxValue={maxReplicas}
      value={replicas}
      onChange={(value) => onChange([value].flat()[0] ?? 0)}
    >
      <div className={cx(styles.amount)}>
        <Label className={cx(controls.label)}>Replicas</Label>
        <SliderOutput />
      </div>
      <SliderTrack className={cx(styles.track)}>
        <SliderThumb className={cx(styles.thumb)} />
      </SliderTrack>
      <div className={cx(styles.amount)}>
        {steps.map(({ text, to }) => (
          <Button key={text} className={cx(controls.button)} onPress={() => onChange(to)}>
            {text}
          </Button>
        ))}
      </div>
    </Slider>
  );
}
