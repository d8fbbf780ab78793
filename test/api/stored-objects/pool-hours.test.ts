import { describe, expect, it } from 'vitest';
import { readHours, writeHours } from '../../../shared/api/stored-objects/pool-hours.ts';
import { HOUR_MS, MINUTE_MS } from '../../../shared/model/time.ts';

const read = (hours: string, nodes?: string) =>
  readHours({
    'mortise.sh/hours': hours,
    ...(nodes !== undefined && { 'mortise.sh/off-hours-nodes': nodes }),
  });

describe('the annotations for hours of a NodePool', () => {
  it.each([
    ['0 8 * * mon-fri for 12h', [{ schedule: '0 8 * * mon-fri', durationMs: 12 * HOUR_MS }]],
    ['@daily for 90m', [{ schedule: '@daily', durationMs: 90 * MINUTE_MS }]],
    [
      'CRON_TZ=Europe/Berlin @daily for 1h30m',
      [{ schedule: 'CRON_TZ=Europe/Berlin @daily', durationMs: 90 * MINUTE_MS }],
    ],
    [
      ' 0 8 * * mon-fri  for 12h;0 9 * * sat for 4h ',
      [
        { schedule: '0 8 * * mon-fri', durationMs: 12 * HOUR_MS },
        { schedule: '0 9 * * sat', durationMs: 4 * HOUR_MS },
      ],
    ],
  ])('are read: %s', (written, windows) => {
    expect(read(written)).toEqual({ hours: { windows, offHoursNodes: 0 } });
  });

  it('say how many nodes stay', () => {
    expect(read('@daily for 1h', '3').hours?.offHoursNodes).toBe(3);
  });

  it('may be absent', () => {
    expect(readHours(undefined)).toEqual({});
    expect(readHours({ other: 'x' })).toEqual({});
  });

  it.each([
    ['', '"" is not a schedule with a duration', 'write "0 8 * * mon-fri for 12h", for example'],
    [
      '0 8 * * mon-fri',
      '"0 8 * * mon-fri" is not a schedule with a duration',
      'write "0 8 * * mon-fri for 12h", for example',
    ],
    [
      '@daily for 0h',
      '"@daily for 0h" is not a schedule with a duration',
      'write "0 8 * * mon-fri for 12h", for example',
    ],
    [
      '@daily for 30s',
      '"@daily for 30s" is not a schedule with a duration',
      'write "0 8 * * mon-fri for 12h", for example',
    ],
    ['@daily for 1h;', '"" is not a schedule with a duration', 'write "0 8 * * mon-fri for 12h", for example'],
    [
      '0 25 * * * for 1h',
      '"0 25 * * *" is no schedule that can be computed',
      'write five cron fields in range, for example "0 8 * * mon-fri"',
    ],
    [
      '0 0 30 2 * for 1h',
      '"0 0 30 2 *" is no schedule that can be computed',
      'write five cron fields in range, for example "0 8 * * mon-fri"',
    ],
    ['CRON_TZ=Europe/Berlim 0 8 * * * for 1h', 'no time zone is called "Europe/Berlim"', 'write CRON_TZ=Europe/Berlin'],
    [
      'CRON_TZ=Utopia/X 0 8 * * * for 1h',
      'no time zone is called "Utopia/X"',
      'write a name of the IANA database, for example CRON_TZ=Europe/Berlin',
    ],
  ])('are refused with the reason: %s', (written, why, fix) => {
    expect(read(written)).toEqual({ mistake: { annotation: 'mortise.sh/hours', why, fix } });
  });

  it.each(['-1', '1.5', 'two', ''])('are refused for %j nodes', (nodes) => {
    expect(read('@daily for 1h', nodes).mistake).toMatchObject({
      annotation: 'mortise.sh/off-hours-nodes',
      why: `"${nodes}" is not a number of nodes`,
    });
  });

  it('are refused with more than 50 windows', () => {
    expect(read(Array(50).fill('@daily for 1h').join(';')).hours?.windows).toHaveLength(50);
    expect(read(Array(51).fill('@daily for 1h').join(';')).mistake).toMatchObject({
      why: '51 windows are too many',
      fix: 'write at most 50',
    });
  });

  it('are refused if there are nodes without hours', () => {
    expect(readHours({ 'mortise.sh/off-hours-nodes': '1' }).mistake).toMatchObject({
      why: 'there are no hours',
      fix: 'add mortise.sh/hours',
    });
  });

  it('are the same when they are written and read again', () => {
    const { hours } = read('CRON_TZ=Asia/Tokyo 0 8 * * mon-fri for 11h30m; @weekly for 24h', '2');
    if (!hours) throw new Error('not read');

    expect(read(writeHours(hours), `${hours.offHoursNodes}`)).toEqual({ hours });
  });
});
