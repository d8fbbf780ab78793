import { describe, expect, it } from 'vitest';
import { DEFAULT_GATES, readFeatureGates } from '../../shared/model/settings.ts';

const gatesOn = (text: string): readonly string[] => {
  const reading = readFeatureGates(text);
  const gates = reading.outcome === 'read' ? Object.entries(reading.gates) : [];
  return gates.flatMap(([name, isOn]) => (isOn ? [name] : []));
};

describe('feature gates', () => {
  it.each([
    ['', ['ReservedCapacity']],
    [' , ', ['ReservedCapacity']],
    ['NodeOverlay=true', ['ReservedCapacity', 'NodeOverlay']],
    ['NodeOverlay=1,NodeRepair=T', ['ReservedCapacity', 'NodeRepair', 'NodeOverlay']],
    [' NodeOverlay = True , ReservedCapacity=false', ['NodeOverlay']],
    ['NodeOverlay=true,NodeOverlay=false', ['ReservedCapacity']],
    ['Drift=true,nodeoverlay=true,constructor=true', ['ReservedCapacity']],
  ])('parse %j with these gates on: %j', (text, on) => {
    expect(gatesOn(text)).toEqual(on);
  });

  it('have every name once, and no other', () => {
    const reading = readFeatureGates('Drift=true,NodeOverlay=true');

    expect(reading.outcome === 'read' && Object.keys(reading.gates)).toEqual(Object.keys(DEFAULT_GATES));
  });

  it.each(['NodeOverlay', 'NodeOverlay=', 'NodeOverlay=on', 'NodeOverlay=yes', 'A=true=false'])('refuse %j', (text) => {
    expect(readFeatureGates(`NodeRepair=true,${text}`)).toEqual({
      outcome: 'refused',
      problems: [`${text}: must be true or false`],
    });
  });
});
