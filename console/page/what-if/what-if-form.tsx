import { useId, useState } from 'react';
import { Button } from 'react-aria-components';
import type { WhatIfOptions, WhatIfRequest } from '../../screen-views.ts';
import { MAX_REPLICAS } from '../../views.ts';
import { cx } from '../class-names.ts';
import controls from '../controls/controls.module.css';
import { ObjectLink } from '../controls/linked-text.tsx';
import { SelectField } from '../controls/select-field.tsx';
import type { ChosenFix, WhatIfStart } from '../ui/ui-context.ts';
import styles from './what-if.module.css';
import { YamlEditor } from './yaml-editor.tsx';

interface WhatIfFormProps {
  readonly options: WhatIfOptions;
  /** The change that the form begins with. */
  readonly start: WhatIfStart;
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
  readonly fix: ChosenFix | undefined;
}

const NONE = 'none';
const EMPTY: Fields = {
  ...{ workload: NONE, replicas: '', lostZone: NONE, spot: NONE, price: '1', yaml: '' },
  fix: undefined,
};

const SPOT = [
  { id: NONE, text: 'stays' },
  { id: 'gone', text: 'all taken back, none left' },
];
const PRICES = ['0.5', '1', '1.5', '2', '3'].map((id) => ({
  id,
  text: id === '1' ? 'as they are' : `× ${id}`,
}));

export function WhatIfForm({ options, start, isPlanning, onPlan }: WhatIfFormProps) {
  const { manifests = '', fix } = start;
  const [fields, setFields] = useState<Fields>({ ...EMPTY, yaml: manifests, fix });
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
      {fields.fix && <Fix {...fields.fix} onRemove={() => change({ fix: undefined })} />}
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
            max={MAX_REPLICAS}
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
        <SelectField label="Spot capacity" choices={SPOT} value={fields.spot} onChange={(spot) => change({ spot })} />
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

/** A change that an answer proposed. */
function Fix({ object, text, onRemove }: ChosenFix & { readonly onRemove: () => void }) {
  return (
    <p className={cx(styles.fix)} data-testid="whatif-fix">
      <span>
        Proposed for <ObjectLink object={object} text={object.name} />: <strong>{text}</strong>
      </span>
      <Button className={cx(controls.button)} onPress={onRemove}>
        Remove
      </Button>
    </p>
  );
}

interface ManifestsProps {
  readonly pools: WhatIfOptions['pools'];
  readonly yaml: string;
  readonly onChange: (yaml: string) => void;
}

function Manifests({ pools, yaml, onChange }: ManifestsProps) {
  const labelId = useId();
  const insert = (name: string) => {
    const pool = pools.find((each) => each.name === name);
    if (!pool) return;
    onChange(yaml.trim() === '' ? pool.yaml : `${yaml.trimEnd()}\n---\n${pool.yaml}`);
  };
  return (
    <>
      <SelectField
        label="Insert the text of a NodePool"
        choices={[{ id: NONE, text: 'choose one' }, ...pools.map(({ name }) => ({ id: name, text: name }))]}
        value={NONE}
        onChange={insert}
      />
      <div className={cx(controls.field)}>
        <span id={labelId} className={cx(controls.label)}>
          NodePools, workloads and pods in YAML, in place of those of the same name
        </span>
        <YamlEditor labelId={labelId} yaml={yaml} onChange={onChange} />
      </div>
    </>
  );
}

/** Fields that change nothing are left out. */
function toRequest({ workload, replicas, lostZone, spot, price, yaml, fix }: Fields): WhatIfRequest {
  const [namespace = '', name = ''] = workload.split('/');
  const isScaled = workload !== NONE && replicas !== '';
  return {
    ...(isScaled && { scale: { namespace, name, replicas: Number(replicas) } }),
    ...(lostZone !== NONE && { lostZone }),
    ...(spot !== NONE && { losesSpot: true }),
    ...(price !== '1' && { spotPriceFactor: Number(price) }),
    ...(yaml.trim() !== '' && { yaml }),
    ...(fix && { fix: { object: fix.object, id: fix.id } }),
  };
}
