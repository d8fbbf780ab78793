import { useState } from 'react';
import { Button } from 'react-aria-components';
import type { WhatIfOptions, WhatIfRequest } from '../../screen-views.ts';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { SelectField } from '../controls/select-field.tsx';
import styles from './what-if.module.css';

interface WhatIfFormProps {
  readonly options: WhatIfOptions;
  /** The manifests that the form begins with. */
  readonly manifests: string;
  readonly isPlanning: boolean;
  readonly onPlan: (request: WhatIfRequest) => void;
}

/** The fields as the user sees them. */
interface Fields {
  readonly workload: string;
  readonly replicas: string;
  readonly lostZone: string;
  readonly spot: string;
  readonly price: string;
  readonly yaml: string;
}

const NONE = 'none';
const EMPTY: Fields = {
  ...{ workload: NONE, replicas: '', lostZone: NONE, spot: NONE, price: '1', yaml: '' },
};

const SPOT = [
  { id: NONE, text: 'stays' },
  { id: 'gone', text: 'all taken back, none left' },
];
const PRICES = ['0.5', '1', '1.5', '2', '3'].map((id) => ({
  id,
  text: id === '1' ? 'as they are' : `× ${id}`,
}));

export function WhatIfForm({ options, manifests, isPlanning, onPlan }: WhatIfFormProps) {
  const [fields, setFields] = useState({ ...EMPTY, yaml: manifests });
  const change = (part: Partial<Fields>) => setFields({ ...fields, ...part });
  const names = options.workloads.map(({ namespace, name, pods }) => ({
    id: `${namespace}/${name}`,
    text: `${namespace}/${name}, now ${pods}`,
  }));
  const request = toRequest(fields);

  return (
    <form
      className={cx(styles.form)}
      aria-label="Changes"
      onSubmit={(event) => {
        event.preventDefault();
        onPlan(request);
      }}
    >
      <h2>What if …</h2>
      <p>Planned on a copy of the shown snapshot. Nothing in the cluster is touched.</p>
      <div className={cx(styles.presets)}>
        <SelectField
          label="Workload"
          choices={[{ id: NONE, text: 'none is scaled' }, ...names]}
          value={fields.workload}
          onChange={(workload) => change({ workload })}
        />
        <label className={cx(controls.field)}>
          <span className={cx(controls.label)}>Pods</span>
          <input
            className={cx(styles.number)}
            type="number"
            min={0}
            max={10_000}
            disabled={fields.workload === NONE}
            value={fields.replicas}
            onChange={(event) => change({ replicas: event.target.value })}
          />
        </label>
        <SelectField
          label="Zone"
          choices={[
            { id: NONE, text: 'none is lost' },
            ...options.zones.map((zone) => ({ id: zone, text: `${zone} is lost` })),
          ]}
          value={fields.lostZone}
          onChange={(lostZone) => change({ lostZone })}
        />
        <SelectField
          label="Spot capacity"
          choices={SPOT}
          value={fields.spot}
          onChange={(spot) => change({ spot })}
        />
        <SelectField
          label="Spot prices"
          choices={PRICES}
          value={fields.price}
          onChange={(price) => change({ price })}
        />
      </div>
      <Manifests pools={options.pools} yaml={fields.yaml} onChange={(yaml) => change({ yaml })} />
      <div className={cx(controls.actions)}>
        <Button
          type="submit"
          className={cx(controls.button, controls.primary)}
          data-testid="whatif-plan"
          isDisabled={isPlanning || Object.keys(request).length === 0}
        >
          Plan
        </Button>
        <Button className={cx(controls.button)} onPress={() => setFields(EMPTY)}>
          Clear
        </Button>
      </div>
    </form>
  );
}

interface ManifestsProps {
  readonly pools: WhatIfOptions['pools'];
  readonly yaml: string;
  readonly onChange: (yaml: string) => void;
}

function Manifests({ pools, yaml, onChange }: ManifestsProps) {
  const insert = (name: string) => {
    const pool = pools.find((each) => each.name === name);
    if (!pool) return;
    onChange(yaml.trim() === '' ? pool.yaml : `${yaml.trimEnd()}\n---\n${pool.yaml}`);
  };
  return (
    <>
      <SelectField
        label="Insert the text of a NodePool"
        choices={[
          { id: NONE, text: 'choose one' },
          ...pools.map(({ name }) => ({ id: name, text: name })),
        ]}
        value={NONE}
        onChange={insert}
      />
      <label className={cx(controls.field)}>
        <span className={cx(controls.label)}>
          NodePools, workloads and pods in YAML, in place of those of the same name
        </span>
        <textarea
          className={cx(styles.yaml)}
          data-testid="whatif-yaml"
          spellCheck={false}
          rows={14}
          value={yaml}
          onChange={(event) => onChange(event.target.value)}
        />
      </label>
    </>
  );
}

/** Fields that change nothing are left out. */
function toRequest({ workload, replicas, lostZone, spot, price, yaml }: Fields): WhatIfRequest {
  const [namespace = '', name = ''] = workload.split('/');
  const isScaled = workload !== NONE && replicas !== '';
  return {
    ...(isScaled && { scale: { namespace, name, replicas: Number(replicas) } }),
    ...(lostZone !== NONE && { lostZone }),
    ...(spot !== NONE && { losesSpot: true }),
    ...(price !== '1' && { spotPriceFactor: Number(price) }),
    ...(yaml.trim() !== '' && { yaml }),
  };
}
