#include "CPostgres.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef struct pg_notify {
  char *name;
  int backend;
  char *extra;
  struct pg_notify *next;
} pg_notify;

typedef struct {
  char *keyword, *variable, *compiled, *value, *label, *display;
  int size;
} pg_option;

/* The functions and values of libpq-fe.h that are used here; its interface has grown since 2003, and
   has not changed. Pipelines are of version 14. */
enum {
  connection_ok = 0, command_ok = 1, tuples_ok = 2, pipeline_sync = 10,
  field_state = 'C', field_message = 'M'
};

static struct {
  void *(*connectdbParams)(const char *const *, const char *const *, int);
  void (*finish)(void *);
  int (*status)(const void *);
  char *(*errorMessage)(const void *);
  int (*serverVersion)(const void *);
  int (*backendPID)(const void *);
  int (*socket)(const void *);
  void *(*exec)(void *, const char *);
  void *(*prepare)(void *, const char *, const char *, int, const unsigned *);
  void *(*describePrepared)(void *, const char *);
  void *(*execPrepared)(
      void *, const char *, int, const char *const *, const int *, const int *, int);
  int (*sendQueryPrepared)(
      void *, const char *, int, const char *const *, const int *, const int *, int);
  int (*enterPipelineMode)(void *);
  int (*exitPipelineMode)(void *);
  int (*pipelineSync)(void *);
  void *(*getResult)(void *);
  void (*clear)(void *);
  int (*resultStatus)(const void *);
  char *(*resultErrorField)(const void *, int);
  char *(*resultErrorMessage)(const void *);
  char *(*cmdStatus)(void *);
  char *(*cmdTuples)(void *);
  int (*ntuples)(const void *);
  int (*nfields)(const void *);
  char *(*fname)(const void *, int);
  unsigned (*ftype)(const void *, int);
  int (*nparams)(const void *);
  unsigned (*paramtype)(const void *, int);
  char *(*getvalue)(const void *, int, int);
  int (*getlength)(const void *, int, int);
  int (*getisnull)(const void *, int, int);
  int (*consumeInput)(void *);
  pg_notify *(*notifies)(void *);
  void (*freemem)(void *);
  void *(*setNoticeProcessor)(void *, void (*)(void *, const char *), void *);
  pg_option *(*conninfoParse)(const char *, char **);
  void (*conninfoFree)(pg_option *);
} pq;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static char fault[256];

static void load(void) {
  void *library = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
  const char *reason = library ? NULL : dlerror();
  static const struct {
    void *place;
    const char *name;
  } functions[] = {
      {&pq.connectdbParams, "PQconnectdbParams"},
      {&pq.finish, "PQfinish"},
      {&pq.status, "PQstatus"},
      {&pq.errorMessage, "PQerrorMessage"},
      {&pq.serverVersion, "PQserverVersion"},
      {&pq.backendPID, "PQbackendPID"},
      {&pq.socket, "PQsocket"},
      {&pq.exec, "PQexec"},
      {&pq.prepare, "PQprepare"},
      {&pq.describePrepared, "PQdescribePrepared"},
      {&pq.execPrepared, "PQexecPrepared"},
      {&pq.sendQueryPrepared, "PQsendQueryPrepared"},
      {&pq.enterPipelineMode, "PQenterPipelineMode"},
      {&pq.exitPipelineMode, "PQexitPipelineMode"},
      {&pq.pipelineSync, "PQpipelineSync"},
      {&pq.getResult, "PQgetResult"},
      {&pq.clear, "PQclear"},
      {&pq.resultStatus, "PQresultStatus"},
      {&pq.resultErrorField, "PQresultErrorField"},
      {&pq.resultErrorMessage, "PQresultErrorMessage"},
      {&pq.cmdStatus, "PQcmdStatus"},
      {&pq.cmdTuples, "PQcmdTuples"},
      {&pq.ntuples, "PQntuples"},
      {&pq.nfields, "PQnfields"},
      {&pq.fname, "PQfname"},
      {&pq.ftype, "PQftype"},
      {&pq.nparams, "PQnparams"},
      {&pq.paramtype, "PQparamtype"},
      {&pq.getvalue, "PQgetvalue"},
      {&pq.getlength, "PQgetlength"},
      {&pq.getisnull, "PQgetisnull"},
      {&pq.consumeInput, "PQconsumeInput"},
      {&pq.notifies, "PQnotifies"},
      {&pq.freemem, "PQfreemem"},
      {&pq.setNoticeProcessor, "PQsetNoticeProcessor"},
      {&pq.conninfoParse, "PQconninfoParse"},
      {&pq.conninfoFree, "PQconninfoFree"},
  };
  for (size_t i = 0; !reason && i < sizeof functions / sizeof *functions; i++) {
    void *function = dlsym(library, functions[i].name);
    if (!function) reason = dlerror();
    memcpy(functions[i].place, &function, sizeof function);
  }
  if (reason) strncpy(fault, reason, sizeof fault - 1);
}

const char *cpostgres_load(void) {
  pthread_once(&once, load);
  return *fault ? fault : NULL;
}

char *cpostgres_address_value(const char *address, const char *keyword, bool *is_valid) {
  char *message = NULL, *value = NULL;
  pg_option *options = pq.conninfoParse(address, &message);
  *is_valid = options != NULL;
  if (message) pq.freemem(message);
  for (pg_option *option = options; option && option->keyword; option++)
    if (!strcmp(option->keyword, keyword) && option->value) value = strdup(option->value);
  if (options) pq.conninfoFree(options);
  return value;
}

/* What the server remarks is no error, and standard error is not the place for it. */
static void ignore(void *context, const char *message) {
  (void)context;
  (void)message;
}

cpostgres_connection *cpostgres_connect(
    const char *address, const char *program, const char *timeout) {
  /* What comes first is replaced by what the address says, what comes last replaces it. Without the
     others, who waits for a server whose machine is gone would wait for hours. */
  const char *keywords[] = {
      "connect_timeout", "keepalives_idle", "keepalives_interval", "keepalives_count",
      "tcp_user_timeout", "dbname", "fallback_application_name", "client_encoding", NULL};
  const char *values[] = {timeout, "10", "5", "3", "25000", address, program, "UTF8", NULL};
  void *connection = pq.connectdbParams(keywords, values, 1);
  if (connection) pq.setNoticeProcessor(connection, ignore, NULL);
  return connection;
}

void cpostgres_finish(cpostgres_connection *connection) { pq.finish(connection); }

bool cpostgres_is_alive(const cpostgres_connection *connection) {
  return pq.status(connection) == connection_ok;
}

const char *cpostgres_message(const cpostgres_connection *connection) {
  return pq.errorMessage(connection);
}

int cpostgres_server_version(const cpostgres_connection *connection) {
  return pq.serverVersion(connection);
}

int cpostgres_backend(const cpostgres_connection *connection) { return pq.backendPID(connection); }

int cpostgres_socket(const cpostgres_connection *connection) { return pq.socket(connection); }

cpostgres_result *cpostgres_run(cpostgres_connection *connection, const char *sql) {
  return pq.exec(connection, sql);
}

cpostgres_result *cpostgres_prepare(
    cpostgres_connection *connection, const char *name, const char *sql) {
  return pq.prepare(connection, name, sql, 0, NULL);
}

cpostgres_result *cpostgres_describe(cpostgres_connection *connection, const char *name) {
  return pq.describePrepared(connection, name);
}

/* The values of parameters as libpq takes them: in `few`, or where that is too small in memory that is to be
   freed. */
static const char **pointers(
    const char **few, int room, int count, const uint8_t *bytes, const int *offsets) {
  const char **values = few;
  if (count > room && !(values = malloc((size_t)count * sizeof *values))) return NULL;
  for (int i = 0; i < count; i++)
    values[i] = offsets[i] < 0 ? NULL : (const char *)bytes + offsets[i];
  return values;
}

cpostgres_result *cpostgres_execute(
    cpostgres_connection *connection, const char *name, int count, const uint8_t *bytes,
    const int *offsets, const int *lengths, const int *formats) {
  const char *few[32], **values = pointers(few, 32, count, bytes, offsets);
  if (!values) return NULL;
  void *result = pq.execPrepared(connection, name, count, values, lengths, formats, 1);
  if (values != few) free(values);
  return result;
}

bool cpostgres_begin_pipeline(cpostgres_connection *connection) {
  return pq.enterPipelineMode(connection);
}

bool cpostgres_send(
    cpostgres_connection *connection, const char *name, int count, const uint8_t *bytes,
    const int *offsets, const int *lengths, const int *formats) {
  const char *few[32], **values = pointers(few, 32, count, bytes, offsets);
  if (!values) return false;
  bool is_sent = pq.sendQueryPrepared(connection, name, count, values, lengths, formats, 1);
  if (values != few) free(values);
  return is_sent;
}

bool cpostgres_sync(cpostgres_connection *connection) { return pq.pipelineSync(connection); }

cpostgres_result *cpostgres_next(cpostgres_connection *connection) {
  void *result = pq.getResult(connection);
  /* After the last result of a statement comes a null pointer, and none after that of the end. */
  if (result && pq.resultStatus(result) != pipeline_sync) pq.clear(pq.getResult(connection));
  return result;
}

bool cpostgres_end_pipeline(cpostgres_connection *connection) {
  pq.clear(pq.getResult(connection));
  return pq.exitPipelineMode(connection);
}

void cpostgres_clear(cpostgres_result *result) { pq.clear(result); }

bool cpostgres_succeeded(const cpostgres_result *result) {
  int status = result ? pq.resultStatus(result) : -1;
  return status == command_ok || status == tuples_ok;
}

const char *cpostgres_state(const cpostgres_result *result) {
  return result ? pq.resultErrorField(result, field_state) : NULL;
}

const char *cpostgres_reason(const cpostgres_result *result) {
  const char *primary = result ? pq.resultErrorField(result, field_message) : NULL;
  return primary ? primary : result ? pq.resultErrorMessage(result) : NULL;
}

const char *cpostgres_command(cpostgres_result *result) { return pq.cmdStatus(result); }

const char *cpostgres_changed(cpostgres_result *result) { return pq.cmdTuples(result); }

int cpostgres_row_count(const cpostgres_result *result) { return pq.ntuples(result); }

int cpostgres_column_count(const cpostgres_result *result) { return pq.nfields(result); }

const char *cpostgres_column_name(const cpostgres_result *result, int column) {
  return pq.fname(result, column);
}

unsigned cpostgres_column_type(const cpostgres_result *result, int column) {
  return pq.ftype(result, column);
}

int cpostgres_parameter_count(const cpostgres_result *result) { return pq.nparams(result); }

unsigned cpostgres_parameter_type(const cpostgres_result *result, int parameter) {
  return pq.paramtype(result, parameter);
}

const uint8_t *cpostgres_value(
    const cpostgres_result *result, int row, int column, int *length) {
  if (pq.getisnull(result, row, column)) return NULL;
  *length = pq.getlength(result, row, column);
  return (const uint8_t *)pq.getvalue(result, row, column);
}

int cpostgres_notified(cpostgres_connection *connection, int own) {
  if (!pq.consumeInput(connection)) return -1;
  int count = 0;
  for (pg_notify *notice; (notice = pq.notifies(connection)); pq.freemem(notice))
    if (notice->backend != own) count++;
  return count;
}
