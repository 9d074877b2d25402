import { WRAPS_KEY_HASHES } from './generation.ts';

/**
 * The WRAPS verification keys that networks use unless they were set up otherwise, in base64; for ledgers of which only the
 * id is known.
 */
const KEYS: Readonly<Record<keyof typeof WRAPS_KEY_HASHES, string>> = {
  beforeSentinelKeys:
    'Tzjen65husW0eMKqAb2YK4aYAv/gx4jm/4NiQQGyaR59JJIx6r7paIq3bqUuK04MKymY0GMDM0P8E4QIGNBpIS+f4P37BrNR6E1KSbVFu/Ch' +
    '6rTR1nC9aSi4PIVM4DoERPN9SavZ4NkSKrd8siB9mOGgagTr0ql4oZArh2o0x49Yjo0olMBnbE4ssBwAyuBBPARFfbGnQiWdTdVDEYUBJgeu' +
    'HO+aFxsh3hYofoQDL9bIoOJHB4bYLMfdh9sJtqMfbrYnR62nSqO38+wLer/adh//9WuXjQ7FsLjRFC8f1RLKhG6j0HcW7yl23MXd+0Xm62xr' +
    'gURZN+PXlDezWSInKSkAAAAAAAAAUJI4/wGcYDBbhCwrnACYwX/t5zve33DfNx0LhAz97QLmw+88LyVf8xWZgZlFsFKk52/FGjko+rvoKg4i' +
    'pwRJERsDbaQ4VPmZYh8jP9SleWCHMjJiE8v42ZwnCD0gXq8kIWe9+E4FiGRdquJo1Z5OS1u0MxwPurx0/0x2+h5WxBkMAvunmS//LBhbN67J' +
    'x+171hslWiC4p6LAjUe6Iww6BUvr7DmBWFuc99CkAd91SoWB55KN8nhpG5pIn5jO33ADSmvciN3qEczeUpr9pY6Tn1gJmbpngwpFtD/jYlMl' +
    'SS315ey1Lhv6yKqiTgObH7aQTHa5Z6GqsG2+tM3o9ikNlq65Wxx+FKEghkX+9nEhGcMFu3IkRBsT+nimKc+1SbUaabLYlAyotNbrf8E4/ncv' +
    'ImwK29fqY7pssYHtwM1E5IscjGWdSkv5Eqk5kI24wfo8rsOwBnABdJaAktTVD2nEICRU9+VhI+IKbw+QbGgEI40pOjg3ddR5NXJMgeVzUGMe' +
    'ume1LN+3BD5STvhzgxsjgT8jjTIZ3El07cfDbXnoYC1FCrhjZq1zufe3CUcEBDNsWbXhVpiBEFbNCC+JHQ58DcLFNSbcLM3AYd7ZeVWLcqFD' +
    '+cMIZuvR15O3TOCaMCgsgJmshEitBJ/OSe9T0cZKlk0Iqabo+P5Y44QRkohS1YNOYpBmqkrFanIID5TFzXvUCKIl4O0gEpMcUIOQ/OvWnNOL' +
    '1uQ3zGEz9CCBfcCLXZQl3NY99sFo/jIhSt4R+OCEw5uC8zSN/hac4cppvm1IUVnW8OZK1s/tR5ufhfKr4A1RU2MX3u8G24gwzl8afJqWMUZB' +
    'eBuqLjxqnRNBLdgqqTicBFfgA7UnoCH1zzT/34stQ0joTCLW3wnBaBEB+SSnaLAr1Gc+D4GzWrognj/04WnTioB2SuEm948pSzFS0KkV2ZWM' +
    '5VgCSkNoaxObzGqtGZ+TPuiDRbw9q9aRwnZPKW0VIvUt4F4WUeUDaQkh/F392YS1WFz1z55910DAg3ge3Mbt5b604UHqHOXKHdLRJgyx93uQ' +
    'QJBVVcnbQKFOxaurmJ2GlqvfuAQBfVAGPdOZLb5Cj21CPn1ReVxvENO5ByXjdyu9L2b343cQGYgn4bxL6nVzKz4QUYjtYV6nh1KGmGM1ZHpx' +
    'NY9MLLr6FpaNqokJFv9qLExBG4o4d4obIgfKB/3bB5c62eBpmZJ48YbeUm0lL8j53tSz3OL5LMrbI86vMckcbjhCqCNukzTtsbLM+1f1KTR6' +
    'XFdgi02DmzeciylBJfVPOKrvxbtqS7Kutp4kimdb3WEKX05WekIuSwGrIuqnJXLmLdYixaqgDGTXcIhqDAThqeXlMTV5yCIYADUD/zCq2zS5' +
    'rbXomuP7hzneb5o/mn8hUnQTe4oWiBWEBMqCXmrYguHbR4u4bA260v/qbLsUUmV9lXypfg2q4gpxph7tAVmJm8kZAGHklngNvtjKV3xMuIai' +
    'wrOjIQzdIiKouS6b5gS/DrG97aeHi+Cs5ocrGAmHGdmkBIE4hY4CuRpPEvyJoM696Tdp5+3L030ZbiJ6Uboo2l8lcYYFV51dYjlMTHOTQBKR' +
    'slkgwqIeKnwSIkMC/6/jzMhEIbVSr15DySncsyRUhVIz+dG4sGo+XCSmzy1NPa0RrYdoFUiV7V+H3zsQPhoAAsFV4Oca9Z6Csph+9p3trg/b' +
    'wahupoaupOFxz0IMA8NwjNJV4XJFhW0k86UgyI4xaxh3V+70IvZZZmGHLVVwRV/cOvw/xrq2RRMvtZob284jEIbbKxEuSNOaXsXd0bMkeNgZ' +
    'UZXGRco/4oU/rNMKT6dezX/gEon+RYjcTdRrH5wAAUeqWuMCTH9aJGV3cSimdebzpXPvAY8ta5aACxrFMyldePom4IofINvhG8LUzfjRon1S' +
    'QMiKdsMwR3SC37J10nN/xwMk3VKptmx/RBj4Ycp2+MStDwIeh6vWhyi5fva4mjljMTwGsMeyaV9yEGC/bHP0oxvNig==',
  generationA:
    'LqNPLtWPGd4y4mweMG1VgLegimCWYrQVmoKXGnhR8yAJ7bDZNYDZjEwGtOJvvUA7GZiMph79jvJPJxujyURUiw2X1y5o0Jx1+AMwS9WFJ5dV' +
    '9vtbBYkaqHh9X4sMCt4JvbDcBmEs8GwAap1XWyxyYZYErIfPVzaB6+WffuikQgVUKRUk3lX/SyIdr0JhICgjnYltt6qRxwOBrvHD8zLZIrFi' +
    'aeb/VYNMfhUm9JwMzeVCyvUu5LfEht/oaX+4NM0N0mb5zdPrSRLHFhm9MeL9otY0E7myVKLIaT9GedBGVisoEM9xONpd8xbLq0X5ezg7Qy5o' +
    'FmOnt5tJQkeXyaqxgikAAAAAAAAAhYjNJloZO+A5jQ9Q90/cjojNnU4bO+06ZQMnzE/cqKTSz4V3AwSmy7NP6zGyBMzUwfuOky5lJJKUsmxc' +
    'stNjoefBTw+cgT25vz+QgAEnEEclP5G1iVO0QqIuLpZSI6SmTvvwb7RYjppGHSBF9D9uDQ1HdhlFi41Cn5rQElNDkptNl8X9IeZ5GbI7ns8h' +
    'Qb7i8lJbCx2Z6yUQvwXxLfasg+BNGVlLdTxEHDfMoZ+Ya0jINv0u410VThBR98uEFcYM7Urc79rYUPJNWmVARILpLkptltc1SWmEyQVGqda/' +
    '3RBQ/bhR5k2uAWiFVMtACb04uR41dhvMkeKebjCq4UW6qg7qMOGiV62oBK/XMjTw6rghp1Pio6Ru8DR2RTKOWHut8wPHsZ9znhzrm1rXyA7x' +
    'uONt4XFlpbTe6d1m2YZKjxMeAKLYm28tZq1aSdAGxFVW+cAQk83Jql5vIYJEhRw/IoTkhR7pBGRD3fsDnBdBlFXfBcJbX/pTwDaCyL20DDKc' +
    'LfLa/xOJ2zTBJ7sTtuKHjprhjnwF2yW7ktiqRZo6SoKc1Vj2VMJqhpt8HohH4P1hJLKxn+pfI3C0JR0Vx7Z/i/vels9yflrH/uHIcaflMsIE' +
    'n9MtLlBuZGQOnLdzD5shurbrPsDVDDq/XNbw1AdiDO3bvi788WWGk/hD9DiR0g/kvoBcmi1OLUndZyIWkqYKIIPavapFmLu75cvPgf4YmviF' +
    'NBMntLMoB/QD8cLBHyvZanyRSu3mj9rEeoHuF3ksM1hOfowwQ9BjtcR5BCkEHsDmCgFruPjyHtdj6N6cGyueFkrdsK4YvN+lb5KyAhoAVBK1' +
    '5re0fWcIPyohx9hLHaCO9V6MDZnCGxo3IO5oR+25Cg3DRtYM0IQA0mxsulIIO9ahvIap0hpjdlAAho96r3QxrCDH0tbWdKCjNNFFWgPC2g1L' +
    '7EbHpFdSGmQUj4mCrk/cGJB4chCw6n8fhoSHq7Md9G/8fqpWbj+8Jr3+urAB/qEkvh+nrfwoLagUU+aREp+KgGTnJp7/LZ88UOiGRh9znl3E' +
    'G5BtOi4HzQxqRibr5jQCpK1qx4/HIhSow4c0aHgPS+FYOUCacYRnDKAwA5ELxmLkoRQKHfajR9NLeOCetv1guKlm6cbDer1YINmZoanh5FnZ' +
    'yvfuLzEet4TA4lItY0m86P9+w5CkEFzmVSi8zjjs/QKkbz20+2BS6J1oUsh+dpqyU/cifMJy9F87rQpANVDffsWiO3taZyssYQ21ZJFI7Ypp' +
    '1o9PEFIHbUuGx3sNvL7t90gHziBWy+Tk+wDThhq2RJdH2KKWLnjfnh1Vrxb3SkBgsas/uxAyfaIuhQOJl4UTzmcHbDtTmRquqmBKtT2i4t+R' +
    'VwhKImmsO+B292y7X9Sl2qNf1DIXBwWJAhikUTN0BVUOw3ch5u+SRtlpGJRq2LePp/nn7icBUahnv5RW9xb7I7YfCyLONExHz8mEcjTKABWO' +
    'eTc8QZ8+DVghiEuTH2smKhaZ1GKFCF5ZtluKYUV2Sn0WzqoVCKGV6yBRzEAEwgnyjww7Gu+Irh89j9DaduBNHGqqEaYMkQ9xqUi7W2ZdFt8J' +
    '4lIJmw5EndTYoTjNZ/WH7neypRVPGX+vMl6e+CgKqxysgRSkaFgJyyl2XBsJl9Y5SGZnaGwk/lhlDrwzrudktLMesJaxdeqjw7RxNDyfhWwB' +
    'bSqENxsPOGyGzHV34/yWIdWbZ5rDxsKDam4LZWe7r6OCidoGDZZ0NN9+K9z4fWZ0zqNN1o/0xY43TVo83z0Dx/AZVe6JC/lMBFBcW2KXNG5J' +
    'TN7nwl5DK9uwHlvDdCkUnajiMQLuESbhLimEjyHrrpZLwyhu/rsgqNy8lckI4YknjC68Do15ITweaWYxFWtBIUCewwlm/HpwFkUJCw1A6mWl' +
    'aBwTfSuZiqW3Bc5a2Kz5fTp/xIm1XAntON6nF3UUgyHCUxxN1vUVQshIoZCLYP+VH6FG9TdWRnYiJbXi4JbX2X6PrA==',
  generationB:
    '0WQ9F+Ss1rBGNWv5j23a9S6G9psAWeTtGu4+K9HJhAI2p4DMfG/4UC/n44TpIV9buNpC/O2Ej2WETF7RMztoI4t0Fa6XwFb6BpzS6r9/1jGa' +
    'Y3EdtotDs4sA/y5wZ3EmdoQ78/XTR3MBMGz8/RYTOX2xMBR43qKL5hH1Z8O4hwqB9wpUaXrQgv8oOU0qNbSnHdiPISFWjA6YYkzoC73WFWzk' +
    '75cW/EihdO7fklsUYeXGX2HigxR3J3yhZNJlepoiYkp23c1k+7lRjdaov70c6re61VEp2yyX6yqhqjonQiPe5IXZZKeRKxTwA6jPZAYnhxWG' +
    'F3WjEIpK1GD2zHhQkikAAAAAAAAAdYWICBZ6O0jgZbHslpY+ZdJwWS3WUhac/L7i4RMC2Jc2gX5bbhXz5KBlk3CQqTyL/iqDQoN/tzHX4NFQ' +
    'IsDmkeU4rKMpPTr4RNttJJOPu37OBo8b+KXc8wU28NH7SMcarEmRxm3XvpydY6hgYSAIVnbzeEKe1i8IhywEl9axRapEJH7xKM2zDSGsoO6X' +
    'i1hNHPaqeTVi86+6QybrbnJzJOQvKYSWDxIGvx9aLeeg6i0JqEuXSSJngZXfpCP4BfqbCC96BjEdG+07eWogUmW1iEAZUMWNO5NJBH7SgkdZ' +
    'IZQejNlkHz0Uqxi/3foHtgmorSClaTgHp59v5+9Q0E23kKBT1u/Ao0YGQlz8t1ToI6iJ9+gtDU4wzXQtm3ndec2AqARQfyymEPFJDP6RPvRg' +
    '499StF9XQ1g7iUEwaIagm5FWULTGoSOY4twBvFGPXGmyqBVTSQbKQQvfXuGsiA5/FcrFs7EtLQ8Q4QGRMChqt2mNsNsFYjgndVAzP2HzUcgG' +
    'Bf0lPk4+zJHZYsOaSRYkW61KDkd5SeNPT4u9ImR9ta7V9cAhYLGHRU7Wg/mTmvtHlJjAvaex/EibLMXExPOhDtjvoLtLNLJHMTqN6Qi+EwPo' +
    '70RavRWx6DWYK1I0WCWPAR52eZzxOAP2t9ayM5I8P2lRhEmjFoqswR5HARhhBgT0ufsOsk2VIJp1r+4pLXIERfUQGzGRvPdboiE7ZIlzFGp/' +
    'bjvzgnVeaKmtofqjLTToPL++m8ZHqsEh9Ywi1zawuGlTnqe/9U6N+EuzKHbz2Ibxr5074adVoGy9N64JqaPp/S6DYcjcPkqAFteMwmlf4j7M' +
    '4lbe9boMjKkgdrN6H3G5GStAl0bdDA7Hs5Fz7wYeSdgvRjAeUkhyRWBl1RMOcSdOJgcNI03iTfBsSl4nMBywnr0ftAntUdgRvi/JNJgr640O' +
    '6/Z1cTYiED+fhHBWNxuKxobGE9V/q2AxJlquFScdrJ1a9pZS7SDk+MMT70+RuT5Y+XPRCc6C9zd28XcUPc7zUkOqaPILal+6UuejEiffJtrs' +
    'jAr2LOqyoibQGJKi86sKyBcbGY3wLKRNaBEBcziTMGOf2PiqIURiiLDmLZSeXX39pRxlWLXOpde7uzPkCmQ631sQnRVC40+f/SCYein/SPAL' +
    'U2i4tehWzzZdgF3Qiu/l14k9jBmnETryuJGzYdzQQqbDgvXeXqOLOeH3Bn6xkhP6E85rlpBHZtNBqhPfZ3rAlGg4RAVU6TQWjPzkxyQkkOsR' +
    '8vb4fvpyI/EJcdthBKOd9z3VoRqmpvtZiQnZG7Whekz9l2IoZfGRhxNwJoFbgoQINYtJu+Ep4EqnHCN2PS8GitJ1aoHn3lQMBLOLrj38KULA' +
    'Wh7tntCDu+vVND9KNcGfuHcMqwxKUBAuz7fbu3+5waqkAl97uIN1W3gLym8nOJoYxdH/TDOptSHfR1fkfQwwrWh66xSAcB+AvtB70iRSl95Z' +
    'eWHm4v3ioUfaJpGdFYD+8LqXXysv05BAFx+bgyngXkpgSOa1hc2bBCdivayK6JXyoccCZjzDaM0Xg3zlHbKZuCA/4u+CLIP5R+nJ0uUi7obv' +
    '2mQwDsDhgaMZvC3xehXVQxhtHeFBJg3S7H7IbQiJkJwYiNeDMMRc3TU3A39n3K2PoQ+Zqu0iRhNCpy0d5FI2x2DKZrtWeQhhAMkBqT4Swfpw' +
    '4+Qw1BjxyZ4227TitO0IZPoaDTZD9BCh8ICSHOMzCnVu95hMkFxwcOnaIVB8y4j5PSP5ow7TM9NadOSWMnR8lQQuKDmAWy1IX8HHN3/2q/ye' +
    'R0Mr7oHxCiKT9+k7j0/nN8SfBJiB4cz81a94iHgVzjXo5lxIOLi3gEaQHLRGCVJHGbQ+E7IF+kPGVbK9tLRsWkssxjuQDlaEmAO7EKnKHqcG' +
    'kSqWFNAMhFXXWvDFefp1/HbagD1w08Sbdw3fldtn4TUCqQSU8oSEJhXtF6FYk22XQweUgx50Uj/8YsDJXDduy9X0pg==',
};

/** The known WRAPS verification keys by their SHA-256 in hex. */
export const knownWrapsKeys = (): ReadonlyMap<string, Uint8Array> =>
  new Map(
    Object.entries(KEYS).map(([name, text]) => [
      WRAPS_KEY_HASHES[name as keyof typeof WRAPS_KEY_HASHES],
      Buffer.from(text, 'base64'),
    ]),
  );
