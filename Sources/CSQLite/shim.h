// SQLite, for the tables of databases that other programs wrote; the store's own is GRDB's.
#pragma once
#include <sqlite3.h>

// Forbids a connection what a file that was made to do harm could use: views, triggers, extensions,
// functions in its schema, and writing to the schema. `sqlite3_db_config` is variadic, which Swift
// cannot call. Returns whether all of it holds.
static inline int sqlite3_distrust(sqlite3 *db) {
  static const int options[][2] = {
      {SQLITE_DBCONFIG_DEFENSIVE, 1},
      {SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
      {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
      {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
      {SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
      {SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
      {SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0},
      // A name in quotation marks is that of a column, and never a text.
      {SQLITE_DBCONFIG_DQS_DML, 0},
  };
  for (unsigned index = 0; index < sizeof options / sizeof options[0]; index++) {
    int value = -1;
    if (sqlite3_db_config(db, options[index][0], options[index][1], &value) != SQLITE_OK ||
        value != options[index][1])
      return 0;
  }
  return 1;
}
