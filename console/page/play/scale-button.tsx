import { useState } from 'react';
import { Button } from 'react-aria-components';
import { MAX_REPLICAS, type WorkloadView } from '../../views.ts';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { SelectField } from '../controls/select-field.tsx';
import { postPlay } from '../store/api.ts';
import styles from './play.module.css';
import { PlayDialog } from './play-dialog.tsx';

const idOf = ({ kind, namespace, name }: WorkloadView): string => `${kind} ${namespace}/${name}`;

export function ScaleButton({ workloads }: { readonly workloads: readonly WorkloadView[] }) {
  const [chosen, setChosen] = useState<string>();
  const [typed, setTyped] = useState<string>();
  const workload = workloads.find((candidate) => idOf(candidate) === chosen) ?? workloads[0];
  const text = typed ?? `${workload?.replicas ?? 0}`;
  const isReady = isAllowed(text) && workload !== undefined && Number(text) !== workload.replicas;

  const scale = async () => {
    if (!workload) return { outcome: 'refused', why: 'There is no workload.' } as const;
    const { kind, namespace, name } = workload;
    const result = await postPlay('scale', { kind, namespace, name, replicas: Number(text) });
    setTyped(undefined);
    return result;
  };

  return (
    <PlayDialog
      name="scale"
      label="Scale"
      title="Scale a workload"
      action={isAllowed(text) ? `Scale to ${Number(text)}` : 'Scale'}
      isReady={isReady}
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
          setTyped(undefined);
        }}
      />
      <Replicas text={text} onChange={setTyped} />
    </PlayDialog>
  );
}

interface ReplicasProps {
  /** As it was typed. */
  readonly text: string;
  readonly onChange: (text: string) => void;
}

function Replicas({ text, onChange }: ReplicasProps) {
  const replicas = Number(text);
  const steps = [
    { text: '+10', to: Math.min(replicas + 10, MAX_REPLICAS) },
    { text: '×2', to: Math.min(replicas * 2, MAX_REPLICAS) },
    { text: '0', to: 0 },
  ];
  return (
    <>
      <label className={cx(controls.field)}>
        <span className={cx(controls.label)}>Replicas, up to {MAX_REPLICAS.toLocaleString('en-US')}</span>
        <input
          className={cx(styles.number)}
          type="number"
          min={0}
          max={MAX_REPLICAS}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      </label>
      <div className={cx(styles.steps)}>
        {steps.map((step) => (
          <Button key={step.text} className={cx(controls.button)} onPress={() => onChange(`${step.to}`)}>
            {step.text}
          </Button>
        ))}
      </div>
    </>
  );
}

const isAllowed = (text: string): boolean => /^\d+$/.test(text) && Number(text) <= MAX_REPLICAS;
