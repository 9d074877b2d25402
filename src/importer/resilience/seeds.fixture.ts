/** Numbers of seeds: `17`, `1-200`, or several with commas between, `3,10-20`. */
export const seedsOf = (text: string): number[] =>
  text.split(',').flatMap((part) => {
    const [first = 1, last = first] = part.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
