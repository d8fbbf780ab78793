import type { EC2Client } from '@aws-sdk/client-ec2';
import { budgetedEc2 } from '../aws/ec2/budgeted-ec2.ts';
import type { CallBudget } from '../aws/ec2/call-budget.ts';
import { ec2Cloud } from '../aws/ec2/ec2-cloud.ts';
import { ec2Market, type Market } from '../aws/ec2/prices/ec2-price-source.ts';
import type { Log } from '../aws/log.ts';
import type { MarketStore } from '../aws/ec2/prices/price-record.ts';
import { storedMarket } from '../aws/ec2/prices/stored-price-source.ts';
import { findLaunchable } from '../aws/node-class/find-launchable.ts';
import { launchTemplates } from '../aws/node-class/launch-templates.ts';
import type { TemplateUses } from '../aws/node-class/template-uses.ts';
import type { TakenCounts } from '../aws/dynamodb/launch-usage.ts';
import { typeSettingsOf } from '../aws/ec2/catalogue/type-settings.ts';
import { type DecisionSettings, USUAL_SETTINGS } from '../model/settings.ts';
import type { Clock } from '../ports/ports.ts';
import type { Cloud } from '../ports/cloud.ts';
import type { LearnedSizes, UnavailableOfferings } from '../ports/learned-state.ts';
import type { NodeClasses } from '../ports/node-classes.ts';
import type { ApiServerSettings } from './settings.ts';

export interface CloudParts {
  readonly ec2: EC2Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly unavailableOfferings: UnavailableOfferings;
  readonly learnedSizes: LearnedSizes;
  readonly nodeClasses: NodeClasses;
  readonly templateUses: TemplateUses;
  readonly takenCounts: TakenCounts;
  readonly callBudget: CallBudget;
  /** What somebody else asks EC2 for every hour; absent: this home asks by itself. */
  readonly marketStore?: Pick<MarketStore, 'read'>;
}

/** EC2 with its market, as one home sees it. */
export function launchingCloud(
  parts: CloudParts,
  { cluster, region }: Pick<ApiServerSettings, 'cluster' | 'region'>,
  decisions: DecisionSettings = USUAL_SETTINGS,
): Cloud {
  const { clock, log, unavailableOfferings, learnedSizes, templateUses, takenCounts } = parts;
  const ec2 = budgetedEc2(parts.ec2, { budget: parts.callBudget, clock });
  return ec2Cloud(
    {
      ec2,
      clock,
      log,
      market: marketOf(parts),
      unavailableOfferings,
      learnedSizes,
      takenCounts,
      findNodeClass: findLaunchable(parts),
      templates: launchTemplates({ ec2, clock, uses: templateUses }, { region }),
    },
    { cluster, region, types: typeSettingsOf(decisions) },
  );
}

function marketOf({ ec2, clock, log, marketStore: store }: CloudParts): Market {
  const otherwise = ec2Market(ec2, { clock, log });
  return store ? storedMarket({ store, clock, log, otherwise }) : otherwise;
}
