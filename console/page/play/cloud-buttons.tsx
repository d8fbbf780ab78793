import { useState } from 'react';
import { MINUTE_MS } from '../../../shared/model/time.ts';
import { SelectField } from '../controls/select-field.tsx';
import { postPlay } from '../store/api.ts';
import { PlayDialog } from './play-dialog.tsx';

const toChoice = (name: string) => ({ id: name, text: name });

export function DriftButton({ pools }: { readonly pools: readonly string[] }) {
  const [chosen, setChosen] = useState<string>();
  const pool = chosen ?? pools[0];
  return (
    <PlayDialog
      name="drift"
      label="Drift"
      title="Change the template of a NodePool"
      action="Change"
      isReady={pool !== undefined}
      onAct={() => postPlay('drift', { pool })}
    >
      <SelectField
        label="NodePool; all its nodes drift and are replaced"
        choices={pools.map(toChoice)}
        value={pool ?? ''}
        onChange={setChosen}
      />
    </PlayDialog>
  );
}

const MINUTES = [3, 10, 30].map((each) => ({ id: `${each}`, text: `${each} minutes` }));

export function ZoneButton({ zones }: { readonly zones: readonly string[] }) {
  const [chosen, setChosen] = useState<string>();
  const [minutes, setMinutes] = useState('10');
  const zone = chosen ?? zones[0];
  return (
    <PlayDialog
      name="zone"
      label="Lose a zone"
      title="Lose a zone"
      action="Lose it"
      isReady={zone !== undefined}
      onAct={() => postPlay('zone', { zone, forMs: Number(minutes) * MINUTE_MS })}
    >
      <SelectField
        label="Zone; its instances end at once"
        choices={zones.map(toChoice)}
        value={zone ?? ''}
        onChange={setChosen}
      />
      <SelectField label="For" choices={MINUTES} value={minutes} onChange={setMinutes} />
    </PlayDialog>
  );
}

const FACTORS = ['0.5', '1.5', '2', '3'].map((id) => ({ id, text: `× ${id}` }));

export function SpotPricesButton() {
  const [factor, setFactor] = useState('2');
  return (
    <PlayDialog
      name="spot-prices"
      label="Spot prices"
      title="Multiply the spot prices"
      action="Multiply"
      isReady
      onAct={() => postPlay('spot-prices', { factor: Number(factor) })}
    >
      <SelectField label="Factor, on the prices of now" choices={FACTORS} value={factor} onChange={setFactor} />
    </PlayDialog>
  );
}
