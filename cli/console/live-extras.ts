import type { NodeClassFacts } from '../../console/views/facts.ts';
import type { PriceSource } from '../../shared/aws/ec2/prices/ec2-price-source.ts';
import type { PriceList } from '../../shared/aws/ec2/prices/price-list.ts';
import type { KubernetesApi } from '../../shared/kubernetes/client/kubernetes-api.ts';
import { readKarpenterReports } from '../../shared/kubernetes/readers/karpenter-reports.ts';
import type { KarpenterReport } from '../../shared/model/karpenter-report.ts';
import { MINUTE_MS } from '../../shared/model/time.ts';
import type { NodeClassResources } from '../../shared/ports/node-classes.ts';
import type { Clock } from '../../shared/ports/ports.ts';
import { type LiveNodeClass, listNodeClasses } from './live-catalogue.ts';

export const toNodeClassFacts = (
  { nodeClass: { name }, images, subnets }: LiveNodeClass,
  freeAddresses: ReadonlyMap<string, number>,
): NodeClassFacts => ({
  ...{ name, images },
  subnets: subnets.map(({ id, zone }) => {
    const free = freeAddresses.get(id);
    return { ...{ id, zone }, ...(free !== undefined && { freeAddresses: free }) };
  }),
});

export interface ExtrasSources {
  readonly api: KubernetesApi;
  /** For Events, leases and conditions of Karpenter. */
  readonly reportsApi: KubernetesApi;
  readonly clock: Clock;
  /** `undefined` without AWS credentials. */
  readonly prices?: PriceSource;
  /** Finds subnets in EC2; `undefined` without AWS credentials. */
  readonly findSubnets?: NodeClassResources['subnets'];
}

interface Extras {
  readonly classes: ReadonlyMap<string, LiveNodeClass>;
  /** By subnet; empty until EC2 has answered. */
  readonly freeAddresses: ReadonlyMap<string, number>;
  readonly priceList?: PriceList;
  /** Empty where Karpenter does not run. */
  readonly reports: readonly KarpenterReport[];
  /** Why typical prices are shown, if they are. */
  readonly whyTypical: string;
}

/** Reads EC2NodeClasses, reports of Karpenter and prices apart from the watches, and keeps them if a read fails. */
export function createExtrasReader({ api, reportsApi, clock, prices, findSubnets }: ExtrasSources) {
  let classes: ReadonlyMap<string, LiveNodeClass> = new Map();
  let classesKey = '';
  let priceList: PriceList | undefined;
  let reports: readonly KarpenterReport[] = [];
  let freeAddresses: ReadonlyMap<string, number> = new Map();
  let dueAt = 0;

  async function readClasses(): Promise<void> {
    const listed = await listNodeClasses(api);
    const key = JSON.stringify([...listed]);
    if (key === classesKey) return;
    classesKey = key;
    classes = listed;
  }

  async function readReports(): Promise<void> {
    reports = await readKarpenterReports(reportsApi, clock.now());
  }

  async function readPrices(): Promise<void> {
    if (prices) priceList = await prices.current();
  }

  async function readSubnets(): Promise<void> {
    const ids = new Set([...classes.values()].flatMap(({ subnets }) => subnets.map(({ id }) => id)));
    if (!findSubnets || ids.size === 0) return;
    const subnets = await findSubnets([...ids].map((id) => ({ id })));
    freeAddresses = new Map(subnets.map((subnet) => [subnet.id, subnet.freeAddresses]));
  }

  return {
    async refresh(): Promise<void> {
      await readClasses().catch(() => undefined);
      if (clock.now() < dueAt) return;
      dueAt = clock.now() + MINUTE_MS;
      await readReports().catch(() => undefined);
      // EC2 may take seconds to answer, and the page is not to wait for it.
      void readPrices().catch(() => undefined);
      void readSubnets().catch(() => undefined);
    },
    current: (): Extras => ({
      ...{ classes, freeAddresses, reports },
      ...(priceList && { priceList }),
      whyTypical: prices ? 'EC2 has not answered yet' : 'no AWS credentials were found',
    }),
  };
}
