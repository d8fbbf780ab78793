import { useState } from 'react';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import type { PlaygroundView } from '../../views.ts';
import { SelectField } from '../controls/select-field.tsx';
import { postPlay } from '../store/api.ts';
import { PlayDialog } from './play-dialog.tsx';

const ANY = 'any';
const MINUTES = [3, 10, 30, 120];

export function ShortageButton({ play }: { readonly play: PlaygroundView }) {
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
