// libpq: the client's side of PostgreSQL. It is loaded when a store on PostgreSQL is opened first, so that
// the program runs without it where no store needs it.
//
// Source: PostgreSQL 15, libpq, <https://www.postgresql.org/docs/15/libpq.html>.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct cpostgres_connection cpostgres_connection;
typedef struct cpostgres_result cpostgres_result;

/* Loads the library once; a null pointer if it is there, else why it is not. */
const char *cpostgres_load(void);

/* The value of a keyword in an address, to be freed; a null pointer if the address does not have it.
   `is_valid` says whether the address can be read at all. */
char *cpostgres_address_value(const char *address, const char *keyword, bool *is_valid);

/* Connects to the database at an address, and waits until that has succeeded or failed. */
cpostgres_connection *cpostgres_connect(const char *address, const char *program, const char *timeout);
void cpostgres_finish(cpostgres_connection *connection);
bool cpostgres_is_alive(const cpostgres_connection *connection);
const char *cpostgres_message(const cpostgres_connection *connection);
int cpostgres_server_version(const cpostgres_connection *connection);
int cpostgres_backend(const cpostgres_connection *connection);
int cpostgres_socket(const cpostgres_connection *connection);

/* Runs statements without parameters; the last one's result, in text. */
cpostgres_result *cpostgres_run(cpostgres_connection *connection, const char *sql);
cpostgres_result *cpostgres_prepare(
    cpostgres_connection *connection, const char *name, const char *sql);
cpostgres_result *cpostgres_describe(cpostgres_connection *connection, const char *name);

/* Runs a prepared statement, whose result is binary. The value of a parameter begins at its offset in
   `bytes`, or is NULL where the offset is negative; text ends with a zero, which its length leaves out. */
cpostgres_result *cpostgres_execute(
    cpostgres_connection *connection, const char *name, int count, const uint8_t *bytes,
    const int *offsets, const int *lengths, const int *formats);

/* A pipeline: statements that are sent one after the other, without waiting for each other's results. */
bool cpostgres_begin_pipeline(cpostgres_connection *connection);
/* Sends a prepared statement, as `cpostgres_execute` takes it; false if the connection is lost. */
bool cpostgres_send(
    cpostgres_connection *connection, const char *name, int count, const uint8_t *bytes,
    const int *offsets, const int *lengths, const int *formats);
/* Marks the end of what is sent. */
bool cpostgres_sync(cpostgres_connection *connection);
/* The result of the next statement that was sent, or the mark's after the last one; a null pointer if the
   connection is lost. */
cpostgres_result *cpostgres_next(cpostgres_connection *connection);
/* Ends the pipeline, whose results were all taken. */
bool cpostgres_end_pipeline(cpostgres_connection *connection);

void cpostgres_clear(cpostgres_result *result);
/* Whether a statement succeeded, with rows or without. */
bool cpostgres_succeeded(const cpostgres_result *result);
/* The five characters of an SQLSTATE; a null pointer if the server did not say one. */
const char *cpostgres_state(const cpostgres_result *result);
const char *cpostgres_reason(const cpostgres_result *result);
/* What was done: "INSERT 0 1". */
const char *cpostgres_command(cpostgres_result *result);
const char *cpostgres_changed(cpostgres_result *result);
int cpostgres_row_count(const cpostgres_result *result);
int cpostgres_column_count(const cpostgres_result *result);
const char *cpostgres_column_name(const cpostgres_result *result, int column);
unsigned cpostgres_column_type(const cpostgres_result *result, int column);
int cpostgres_parameter_count(const cpostgres_result *result);
unsigned cpostgres_parameter_type(const cpostgres_result *result, int parameter);
/* The bytes of a value, as long as the result; a null pointer for NULL. */
const uint8_t *cpostgres_value(
    const cpostgres_result *result, int row, int column, int *length);

/* Takes what has arrived, and counts the notifications that other processes than `own` have sent. A
   negative number if the connection is lost. */
int cpostgres_notified(cpostgres_connection *connection, int own);
