const RESERVATION =
  /<item>\s*<reservationId>[\s\S]*?<\/groupSet>\s*<\/item>|<item>\s*<reservationId>[\s\S]*?(?=<item>\s*<reservationId>|<\/reservationSet>)/g;

/** An answer to DescribeInstances without what EC2 does not show yet. */
export const withoutReservations = (xml: string, isHidden: (instanceId: string) => boolean) =>
  xml.replace(RESERVATION, (block) => (idsIn(block).some(isHidden) ? '' : block));

const idsIn = (block: string): readonly string[] =>
  [...block.matchAll(/<instanceId>(i-[0-9a-f]+)</gi)].flatMap(([, id]) => id ?? []);
