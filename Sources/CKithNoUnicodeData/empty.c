// SPDX-License-Identifier: Apache-2.0

#ifdef KITH_NO_UNICODE_DATA

#include <stdint.h>

// Of a program that holds all of Foundation, the tables of languages and scripts are half: 34 MB for dates, numbers
// and collation in words of 700 locales. GRDB brings them with it, and nothing of kith asks for any. This stands in
// their place: an archive of ICU's data format without a single entry, as ICU's own "stubdata" is one. What still asks for
// a table hears that there is none.
//
// The name holds the version of the toolchain's ICU; under another one, the tables are linked as before.
const struct {
  uint16_t header_size;
  uint8_t magic[2];
  struct {
    uint16_t size, reserved;
    uint8_t is_big_endian, charset, size_of_uchar, reserved_byte;
    uint8_t format[4], format_version[4], data_version[4];
  } info;
  uint8_t padding[8];
  uint32_t count, reserved;
} icudt76_dat __attribute__((aligned(16))) = {
  .header_size = 32,
  .magic = {0xDA, 0x27},
  .info = {20, 0, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__, 0, 2, 0, {'T', 'o', 'C', 'P'}, {1, 0, 0, 0}, {0, 0, 0, 0}},
};

#endif
