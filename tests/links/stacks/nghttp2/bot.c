/* Plays the first legal move: gRPC by hand on nghttp2, one connection at a time, as many streams as the referee opens. */
#include <nghttp2/nghttp2.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

typedef struct {
    uint8_t in[1 << 16], out[1 << 12];
    size_t heard, written, said;
    int is_health, ended;
} Call;

static nghttp2_nv header(const char *name, const char *value) {
    return (nghttp2_nv){(uint8_t *)name, (uint8_t *)value, strlen(name), strlen(value), NGHTTP2_NV_FLAG_NONE};
}

/* -- messages ------------------------------------------------------------------------------------------------------ */

static uint64_t varint(const uint8_t **at, const uint8_t *end) {
    uint64_t value = 0;
    for (int shift = 0; *at < end && shift < 64; shift += 7) {
        uint8_t byte = *(*at)++;
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) break;
    }
    return value;
}

/* The next field: its number; a number as its value, or bytes from *at of that length. 0 at the end. */
static unsigned field(const uint8_t **at, const uint8_t *end, uint64_t *value) {
    if (*at >= end) return 0;
    unsigned key = (unsigned)varint(at, end);
    *value = varint(at, end);
    return key >> 3;
}

static void say(Call *call, const uint8_t *message, size_t size) {
    uint8_t *to = call->out + call->written;
    to[0] = to[1] = to[2] = 0, to[3] = (uint8_t)(size >> 8), to[4] = (uint8_t)size;
    memcpy(to + 5, message, size);
    call->written += 5 + size;
}

static void answer_turn(Call *call, const uint8_t *at, const uint8_t *end) {
    uint64_t value, number = 0;
    uint8_t reply[64];
    for (unsigned kind; (kind = field(&at, end, &value));) {
        if (kind == 1) {
            number = value;
            continue;
        }
        if (kind == 4) { /* a legal move, and the first one */
            size_t head = 1;
            reply[0] = 0x08;
            for (uint64_t rest = number; head == 1 || rest; rest >>= 7)
                reply[head++] = (uint8_t)((rest & 127) | (rest > 127 ? 128 : 0));
            reply[head++] = 0x12, reply[head++] = (uint8_t)value;
            memcpy(reply + head, at, value);
            uint8_t whole[66] = {0x12, (uint8_t)(head + value)};
            memcpy(whole + 2, reply, head + value);
            say(call, whole, 2 + head + value);
            return;
        }
        at += value;
    }
}

static void on_message(Call *call, const uint8_t *at, const uint8_t *end) {
    uint64_t size;
    if (call->is_health) {
        say(call, (const uint8_t *)"\x08\x01", 2);
        call->ended = 1;
        return;
    }
    switch (field(&at, end, &size)) {
        case 1: say(call, (const uint8_t *)"\x0a\x02\x08\x01", 4); break;
        case 2: answer_turn(call, at, at + size); break;
        case 3: call->ended = 1;
    }
}

/* -- HTTP/2 -------------------------------------------------------------------------------------------------------- */

static ssize_t read_reply(nghttp2_session *session, int32_t stream, uint8_t *to, size_t room, uint32_t *flags,
                          nghttp2_data_source *source, void *_) {
    (void)_;
    Call *call = source->ptr;
    size_t size = call->written - call->said;
    if (size > room) size = room;
    memcpy(to, call->out + call->said, size);
    call->said += size;
    if (call->said == call->written) call->said = call->written = 0;
    if (call->ended && !call->written) {
        nghttp2_nv trailers[] = {header("grpc-status", "0")};
        *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
        nghttp2_submit_trailer(session, stream, trailers, 1);
        return (ssize_t)size;
    }
    return size ? (ssize_t)size : NGHTTP2_ERR_DEFERRED;
}

static int on_begin(nghttp2_session *session, const nghttp2_frame *frame, void *_) {
    (void)_;
    return nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, calloc(1, sizeof(Call)));
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, const uint8_t *name, size_t name_size,
                     const uint8_t *value, size_t size, uint8_t flags, void *_) {
    (void)flags, (void)_;
    Call *call = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    if (name_size == 5 && !memcmp(name, ":path", 5)) call->is_health = size > 6 && !memcmp(value, "/grpc.", 6);
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t stream, const uint8_t *data, size_t size, void *_) {
    (void)flags, (void)_;
    Call *call = nghttp2_session_get_stream_user_data(session, stream);
    if (call->heard + size > sizeof call->in) return NGHTTP2_ERR_CALLBACK_FAILURE;
    memcpy(call->in + call->heard, data, size);
    call->heard += size;
    while (call->heard >= 5) {
        size_t length = (size_t)call->in[3] << 8 | call->in[4];
        if (call->heard < 5 + length) break;
        on_message(call, call->in + 5, call->in + 5 + length);
        call->heard -= 5 + length;
        memmove(call->in, call->in + 5 + length, call->heard);
    }
    nghttp2_session_resume_data(session, stream);
    return 0;
}

static int on_frame(nghttp2_session *session, const nghttp2_frame *frame, void *_) {
    (void)_;
    if (frame->hd.type != NGHTTP2_HEADERS || frame->headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
    nghttp2_data_provider body = {
        .source.ptr = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id), .read_callback = read_reply};
    nghttp2_nv headers[] = {header(":status", "200"), header("content-type", "application/grpc")};
    return nghttp2_submit_response(session, frame->hd.stream_id, headers, 2, &body);
}

static int on_close(nghttp2_session *session, int32_t stream, uint32_t code, void *_) {
    (void)code, (void)_;
    free(nghttp2_session_get_stream_user_data(session, stream));
    return 0;
}

static int flush(nghttp2_session *session, int line) {
    const uint8_t *data;
    for (ssize_t size; (size = nghttp2_session_mem_send(session, &data)) > 0;)
        for (ssize_t sent = 0; sent < size;) {
            ssize_t more = write(line, data + sent, (size_t)(size - sent));
            if (more <= 0) return 0;
            sent += more;
        }
    return 1;
}

static void serve(int line) {
    nghttp2_session_callbacks *callbacks;
    nghttp2_session *session;
    nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 10}};
    uint8_t data[1 << 14];
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, on_begin);
    nghttp2_session_callbacks_set_on_header_callback(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, on_frame);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    nghttp2_session_server_new(&session, callbacks, NULL);
    nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings, 1);
    for (ssize_t size; flush(session, line) && (size = read(line, data, sizeof data)) > 0;)
        if (nghttp2_session_mem_recv(session, data, (size_t)size) < 0) break;
    nghttp2_session_del(session);
    nghttp2_session_callbacks_del(callbacks);
    close(line);
}

int main(void) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", getenv("ARENA_SOCKET"));
    int door = socket(AF_UNIX, SOCK_STREAM, 0);
    if (bind(door, (struct sockaddr *)&address, sizeof address) || listen(door, 8)) return 1;
    for (int line; (line = accept(door, NULL, NULL)) >= 0;) serve(line);
}
