/**
 * Records of one length in flat memory: a layout gives each field its place, and an object on it reads and writes the
 * fields by name. Plain objects took 828 bytes a dialog; these take what their fields take.
 */

/** What a field is: a number of that kind; or as many bytes that are no number, on a 4-byte boundary. */
export type Kind = keyof typeof BYTES | number;
export type Fields = Readonly<Record<string, Kind>>;
export type Memory = { readonly f64: Float64Array; readonly i32: Int32Array; readonly u8: Uint8Array };
export type WideMemory = Memory & { readonly u32: Uint32Array; readonly u16: Uint16Array };

/** The same bytes as numbers of each kind. */
export function memoryOf({ buffer, byteOffset, length }: Uint8Array): WideMemory {
  return {
    f64: new Float64Array(buffer, byteOffset, length / 8),
    i32: new Int32Array(buffer, byteOffset, length / 4),
    u32: new Uint32Array(buffer, byteOffset, length / 4),
    u16: new Uint16Array(buffer, byteOffset, length / 2),
    u8: new Uint8Array(buffer, byteOffset, length),
  };
}

const BYTES = { f64: 8, i32: 4, u32: 4, u16: 2, u8: 1 } as const;

/** Where the fields of a record lie. */
export type RowLayout<F extends Fields> = {
  /** Place of each field, counted in its own kind; of one without a kind, in bytes. */
  readonly at: { readonly [Name in keyof F]: number };
  readonly kinds: F;
  readonly bytes: number;
  /** The same in numbers of two, of four and of eight bytes. */
  readonly halves: number;
  readonly words: number;
  readonly doubles: number;
};

/** The field of each name that is a number. */
export type Numbers<F extends Fields> = {
  -readonly [Name in keyof F as F[Name] extends string ? Name : never]: number;
};

/** Fields lie in the order in which they are given. Throws when they do not fill the bytes, or one is not aligned. */
export function row<const F extends Fields>(bytes: number, fields: F): RowLayout<F> {
  const at: Record<string, number> = {};
  let next = 0;
  for (const [name, kind] of Object.entries(fields)) {
    const size = typeof kind === 'number' ? kind : BYTES[kind];
    const unit = typeof kind === 'number' ? 4 : size;
    if (next % unit !== 0) throw new RangeError(`${name} would begin at byte ${next}`);
    at[name] = typeof kind === 'number' ? next : next / unit;
    next += size;
  }
  if (next !== bytes || bytes % 8 !== 0) throw new RangeError(`the fields take ${next} of ${bytes} bytes`);
  // A copy: the engine makes an object that is filled key by key a dictionary, which is slow to read.
  const places = { ...at } as RowLayout<F>['at'];
  return { at: places, kinds: fields, bytes, halves: bytes / 2, words: bytes / 4, doubles: bytes / 8 };
}

/** An object on a record: the memory it lies in, and its place there. */
export type OnRow = { readonly memory: Memory; readonly place: number };

/**
 * Gives objects of `prototype` a property for each number of a record. The properties name the memory themselves: a function
 * that finds it would be a call each time, 5 % of the time of SIP.
 */
export function defineFields<F extends Fields>(prototype: OnRow, of: RowLayout<F>): void {
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

/** Rows in blocks of as many: where the block of a row is. */
export type InBlocks = { block(row: number): WideMemory };

/** For each number of a row a method that reads it by the name of its field, and one that sets it: `next` and `setNext`. */
export type Accessors<F extends Fields> = { [Name in keyof Numbers<F>]: (row: number) => number } & {
  [Name in keyof Numbers<F> & string as `set${Capitalize<Name>}`]: (row: number, value: number) => void;
};

/** Gives objects of `prototype` these methods. A block has `rows` rows, a power of two. */
export function defineAccessors<F extends Fields>(prototype: InBlocks, of: RowLayout<F>, rows: number): void {
  for (const [name, kind] of Object.entries(of.kinds)) {
    if (typeof kind === 'number') continue;
    const { read, write } = ACCESSORS[kind](of.at[name] ?? 0, of.bytes / BYTES[kind], rows - 1);
    Object.defineProperty(prototype, name, { value: read });
    Object.defineProperty(prototype, `set${name.charAt(0).toUpperCase()}${name.slice(1)}`, { value: write });
  }
}

type Accessor = {
  read(this: InBlocks, row: number): number;
  write(this: InBlocks, row: number, value: number): void;
};

/** By kind, as the engine compiles an access well that is of one kind only. `size`: numbers of that kind in a row. */
const ACCESSORS: Readonly<Record<keyof typeof BYTES, (at: number, size: number, mask: number) => Accessor>> = {
  f64: (at, size, mask) => ({
    read(row) {
      return this.block(row).f64[(row & mask) * size + at] ?? 0;
    },
    write(row, value) {
      this.block(row).f64[(row & mask) * size + at] = value;
    },
  }),
  i32: (at, size, mask) => ({
    read(row) {
      return this.block(row).i32[(row & mask) * size + at] ?? 0;
    },
    write(row, value) {
      this.block(row).i32[(row & mask) * size + at] = value;
    },
  }),
  u32: (at, size, mask) => ({
    read(row) {
      return this.block(row).u32[(row & mask) * size + at] ?? 0;
    },
    write(row, value) {
      this.block(row).u32[(row & mask) * size + at] = value;
    },
  }),
  u16: (at, size, mask) => ({
    read(row) {
      return this.block(row).u16[(row & mask) * size + at] ?? 0;
    },
    write(row, value) {
      this.block(row).u16[(row & mask) * size + at] = value;
    },
  }),
  u8: (at, size, mask) => ({
    read(row) {
      return this.block(row).u8[(row & mask) * size + at] ?? 0;
    },
    write(row, value) {
      this.block(row).u8[(row & mask) * size + at] = value;
    },
  }),
};
