import { EC2_TYPES } from '../../../../../shared/ec2/catalogue/ec2-types.ts';
import { modelSpotUsd } from '../../../../../shared/ec2/catalogue/spot-price-model.ts';
import type { Answer } from '../../forward.ts';
import { answerTo, readFilters } from './ec2-feature.ts';
import { element } from './instances-xml.ts';

/**
 * Answers DescribeSpotPriceHistory with the current prices of Linux, from the bundled data. The
 * emulator has the same price for all types, so that no spot node could become cheaper.
 */
export function describeSpotPrices(parameters: URLSearchParams): Answer {
  const zones = readFilters(parameters).get('availability-zone');
  const timestamp = new Date(0).toISOString();
  const items = EC2_TYPES.flatMap(({ name, zones: offered }) =>
    offered
      .filter((zone) => zones?.includes(zone) ?? true)
      .flatMap((zone) => {
        const usd = modelSpotUsd(name, zone);
        if (usd === undefined) return [];
        return element(
          'item',
          [
            element('instanceType', name),
            element('productDescription', 'Linux/UNIX'),
            element('spotPrice', `${usd}`),
            element('timestamp', timestamp),
            element('availabilityZone', zone),
          ].join(''),
        );
      }),
  );
  return answerTo('DescribeSpotPriceHistory', element('spotPriceHistorySet', items.join('')));
}
