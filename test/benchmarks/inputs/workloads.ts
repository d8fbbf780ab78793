import { HOSTNAME_LABEL, ZONE_LABEL } from '../../../shared/model/labels.ts';
import type { PodSpec, PodTemplate } from '../../../shared/model/pods/pod.ts';
import { MIB } from '../../../shared/model/resources.ts';
import { aPodSpec, aPodTemplate, aSelector } from '../../support/builders.ts';
import type { BenchmarkRandom } from './seeded-random.ts';

const CPU_MILLI = [50, 100, 200, 250, 500, 750, 1000, 1500, 2000, 4000] as const;
const MIB_PER_CPU = [1024, 2048, 4096, 8192] as const;

/** One in this many Deployments has the rule. */
const EVERY = { zoneSpread: 3, hostSpread: 7, apart: 11 } as const;

/**
 * Creates a pod template of a Deployment with random size. Every third has a zone spread, some a
 * host spread, few host anti-affinity.
 *
 * @param over - overrides of the pods' spec
 */
export function aFieldTemplate(random: BenchmarkRandom, index: number, over: Partial<PodSpec> = {}): PodTemplate {
  const labels = { app: `app-${index}` };
  const cpu = random.oneOf(CPU_MILLI);
  const memory = Math.round((cpu * random.oneOf(MIB_PER_CPU)) / 1000) * MIB;
  const spread = (key: string) => ({
    key,
    maxSkew: 1,
    whenUnsatisfiable: 'DoNotSchedule' as const,
    selector: aSelector(labels),
    matchLabelKeys: [],
    nodeAffinityPolicy: 'Honor' as const,
    nodeTaintsPolicy: 'Ignore' as const,
  });
  const apart = {
    key: HOSTNAME_LABEL,
    selector: aSelector(labels),
    matchLabelKeys: [],
    namespaces: [],
  };
  return aPodTemplate({
    labels,
    spec: aPodSpec({
      requests: { cpu, memory, pods: 1 },
      topologySpread: [
        ...(index % EVERY.zoneSpread === 0 ? [spread(ZONE_LABEL)] : []),
        ...(index % EVERY.hostSpread === 0 ? [spread(HOSTNAME_LABEL)] : []),
      ],
      podAntiAffinity: index % EVERY.apart === 0 ? [apart] : [],
      ...over,
    }),
  });
}
