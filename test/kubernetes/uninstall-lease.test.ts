import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KubernetesApi } from '../../shared/kubernetes/client/kubernetes-api.ts';
import { endUninstall, kubernetesOwnership, readUninstallEnd } from '../../shared/kubernetes/kubernetes-ownership.ts';
import type { Owner } from '../../shared/model/ownership.ts';
import { DAY_MS, MINUTE_MS } from '../../shared/model/time.ts';
import { NOON } from '../support/builders.ts';
import { type ApiDouble, startApiDouble } from './support/api-double.ts';
import { connect } from './support/connect.ts';

const FUNCTIONS: Owner = { stack: 'second', mode: 'lambda' };
const UNINSTALL: Owner = { stack: 'first', mode: 'uninstall' };

let server: ApiDouble;
let api: KubernetesApi;
beforeEach(async () => {
  server = await startApiDouble();
  ({ api } = connect(server));
});
afterEach(() => server.close());

const takeOver = (self: Owner, now: number) => kubernetesOwnership({ api, clock: { now: () => now }, self }).takeOver();
const claim = (self: Owner, now: number) => kubernetesOwnership({ api, clock: { now: () => now }, self }).claim();

describe('the lease of an uninstallation', () => {
  it('lets no other stack work for a day', async () => {
    await takeOver(UNINSTALL, NOON);

    expect(await claim(FUNCTIONS, NOON + MINUTE_MS)).toMatchObject({ outcome: 'stand-by' });
    expect(await readUninstallEnd(api, NOON + MINUTE_MS)).toBe(NOON + DAY_MS);
    expect(await readUninstallEnd(api, NOON + 2 * DAY_MS)).toBeUndefined();
  });

  it('is ended by a deployment, also of another stack', async () => {
    await takeOver(UNINSTALL, NOON);

    await endUninstall(api, NOON + MINUTE_MS);

    expect(await readUninstallEnd(api, NOON + MINUTE_MS)).toBeUndefined();
    expect(await claim(FUNCTIONS, NOON + MINUTE_MS)).toMatchObject({ outcome: 'owner' });
  });

  it('is ended by a deployment of the same stack, also if the uninstallation is complete', async () => {
    await takeOver(UNINSTALL, NOON);
    await kubernetesOwnership({ api, clock: { now: () => NOON }, self: UNINSTALL }).release();
    const functions: Owner = { stack: 'first', mode: 'lambda' };
    expect(await claim(functions, NOON + MINUTE_MS)).toMatchObject({ outcome: 'stand-by' });
    expect(await readUninstallEnd(api, NOON + MINUTE_MS)).toBe(NOON + DAY_MS);

    await endUninstall(api, NOON + MINUTE_MS);

    expect(await claim(functions, NOON + 2 * MINUTE_MS)).toMatchObject({ outcome: 'owner' });
  });

  it('is the only lease that a deployment ends', async () => {
    await takeOver({ stack: 'first', mode: 'controller', process: 'host-1' }, NOON);

    await endUninstall(api, NOON + 1_000);

    expect(await claim(FUNCTIONS, NOON + 1_000)).toMatchObject({
      outcome: 'stand-by',
      owner: 'first/controller/host-1',
    });
  });

  it('need not exist', async () => {
    await endUninstall(api, NOON);

    expect(await readUninstallEnd(api, NOON)).toBeUndefined();
  });
});
