import type { EC2Client } from '@aws-sdk/client-ec2';
import type { CapacityUsageStore } from '../aws/dynamodb/capacity-usage.ts';
import type { TemplateUses } from '../aws/dynamodb/template-uses.ts';
import { type CallBudget, limitCallRate } from '../aws/ec2/call-budget.ts';
import { toTypeSettings } from '../aws/ec2/catalogue/type-settings.ts';
import { ec2Cloud } from '../aws/ec2/ec2-cloud.ts';
import { ec2PriceSource, type PriceSource, type ReadOnDemandUsd } from '../aws/ec2/prices/ec2-price-source.ts';
import type { PriceRecordStore } from '../aws/ec2/prices/price-record.ts';
import { storedPriceSource } from '../aws/ec2/prices/stored-price-source.ts';
import type { Log } from '../aws/log.ts';
import { createLaunchTemplates } from '../aws/node-class/launch-templates.ts';
import { createLaunchableFinder } from '../aws/node-class/launchable-class.ts';
import { DEFAULT_SETTINGS, type DecisionSettings } from '../model/settings.ts';
import type { Cloud } from '../ports/cloud.ts';
import type { LearnedSizes, UnavailableOfferings } from '../ports/learned-state.ts';
import type { NodeClasses } from '../ports/node-classes.ts';
import type { Clock } from '../ports/ports.ts';
import type { ApiServerSettings } from './settings.ts';

export interface CloudDependencies {
  readonly ec2: EC2Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly unavailableOfferings: UnavailableOfferings;
  readonly learnedSizes: LearnedSizes;
  readonly nodeClasses: NodeClasses;
  readonly templateUses: TemplateUses;
  readonly capacityUsage: CapacityUsageStore;
  readonly callBudget: CallBudget;
  /**
   * The price list and offerings that another function refreshes and stores. `undefined`: this
   * process queries EC2 itself.
   */
  readonly priceRecords?: Pick<PriceRecordStore, 'read'>;
  /** Asked if this process queries EC2 itself; `undefined` for the bundled prices of the region. */
  readonly readOnDemandUsd?: ReadOnDemandUsd;
}

/**
 * Builds the Cloud port of one process: EC2 with offerings, prices, call budget and launch
 * templates.
 */
export function createCloud(
  parts: CloudDependencies,
  { cluster, region }: Pick<ApiServerSettings, 'cluster' | 'region'>,
  decisions: DecisionSettings = DEFAULT_SETTINGS,
): Cloud {
  const { clock, log, unavailableOfferings, learnedSizes, templateUses, capacityUsage } = parts;
  const ec2 = limitCallRate(parts.ec2, { budget: parts.callBudget, clock });
  return ec2Cloud(
    {
      ec2,
      clock,
      log,
      priceSource: createPriceSource(parts, region),
      unavailableOfferings,
      learnedSizes,
      capacityUsage,
      findNodeClass: createLaunchableFinder(parts),
      templates: createLaunchTemplates({ ec2, clock, uses: templateUses }, { region }),
    },
    { cluster, region, types: toTypeSettings(decisions) },
  );
}

function createPriceSource(
  { ec2, clock, log, readOnDemandUsd, priceRecords: store }: CloudDependencies,
  region: string,
): PriceSource {
  const fallback = ec2PriceSource(ec2, {
    region,
    clock,
    log,
    ...(readOnDemandUsd && { readOnDemandUsd }),
  });
  return store ? storedPriceSource({ store, region, clock, log, fallback }) : fallback;
}
