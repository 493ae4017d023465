/**
 * Records of one length in flat memory: a layout gives each field its place, and an object on it reads and writes the
 * fields by name. Plain objects took 828 bytes a dialog; these take what their fields take.
 */

/** What a field is: a double, a 32-bit integer, a byte; or as many bytes without a name of a field, on a 4-byte boundary. */
export type Kind = 'f64' | 'i32' | 'u8' | number;
export type Fields = Readonly<Record<string, Kind>>;
export type Memory = { readonly f64: Float64Array; readonly i32: Int32Array; readonly u8: Uint8Array };

const BYTES = { f64: 8, i32: 4, u8: 1 } as const;
const LINE_BYTES = 64;

/** Numbers of the array of their kind that make up a record. */
export type Row<F extends Fields> = {
  /** Place of each field, counted in its own kind; of one without a kind, in bytes. */
  readonly at: { readonly [Name in keyof F]: number };
  readonly kinds: F;
  readonly bytes: number;
  readonly words: number;
  readonly doubles: number;
};

/** The field of each name that is a number. */
export type Numbers<F extends Fields> = {
  -readonly [Name in keyof F as F[Name] extends string ? Name : never]: number;
};

/** Fields lie in the order in which they are given. Throws when they do not fill whole cache lines, or one is not aligned. */
export function row<const F extends Fields>(lines: number, fields: F): Row<F> {
  const at: Record<string, number> = {};
  let next = 0;
  for (const [name, kind] of Object.entries(fields)) {
    const bytes = typeof kind === 'number' ? kind : BYTES[kind];
    const unit = typeof kind === 'number' ? 4 : bytes;
    if (next % unit !== 0) throw new RangeError(`${name} would begin at byte ${next}`);
    at[name] = typeof kind === 'number' ? next : next / unit;
    next += bytes;
  }
  if (next !== lines * LINE_BYTES) throw new RangeError(`the fields take ${next} of ${lines * LINE_BYTES} bytes`);
  return { at: at as Row<F>['at'], kinds: fields, bytes: next, words: next / 4, doubles: next / 8 };
}

/** An object on a record: the memory it lies in, and its place there. */
export type OnRow = { readonly memory: Memory; readonly place: number };

/**
 * Gives objects of `prototype` a property for each number of a record. The properties name the memory themselves: a function
 * that finds it would be a call each time, 5 % of the time of SIP.
 */
export function defineFields<F extends Fields>(prototype: OnRow, of: Row<F>): void {
  for (const [name, kind] of Object.entries(of.kinds)) {
    const make = MAKERS[kind as keyof typeof MAKERS];
    if (make !== undefined) Object.defineProperty(prototype, name, make(of.at[name] ?? 0, of.bytes));
  }
}

type Maker = (at: number, bytes: number) => PropertyDescriptor & ThisType<OnRow>;

const MAKERS: Readonly<Record<'f64' | 'i32' | 'u8', Maker>> = {
  f64: (at, bytes) => {
    const doubles = bytes / 8;
    return {
      get() {
        return this.memory.f64[this.place * doubles + at];
      },
      set(value: number) {
        this.memory.f64[this.place * doubles + at] = value;
      },
    };
  },
  i32: (at, bytes) => {
    const words = bytes / 4;
    return {
      get() {
        return this.memory.i32[this.place * words + at];
      },
      set(value: number) {
        this.memory.i32[this.place * words + at] = value;
      },
    };
  },
  u8: (at, bytes) => ({
    get() {
      return this.memory.u8[this.place * bytes + at];
    },
    set(value: number) {
      this.memory.u8[this.place * bytes + at] = value;
    },
  }),
};
