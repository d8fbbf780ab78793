import { useCallback, useEffect, useState } from 'react';
import type { Address } from './address.ts';
import { readAddress, writeAddress } from './address.ts';

/** The page's address as state: changes go into the URL; back and forward restore them. */
export function useAddress(): readonly [Address, (change: Partial<Address>) => void] {
  const [address, setAddress] = useState(() => readAddress(location.hash));

  useEffect(() => {
    const onHash = () => setAddress(readAddress(location.hash));
    window.addEventListener('hashchange', onHash);
    return () => window.removeEventListener('hashchange', onHash);
  }, []);

  const change = useCallback((part: Partial<Address>) => {
    const next = { ...readAddress(location.hash), ...part };
    // A changed selection replaces the history entry, so that "back" leaves the page.
    history.replaceState(null, '', writeAddress(next));
    setAddress(next);
  }, []);

  return [address, change];
}
