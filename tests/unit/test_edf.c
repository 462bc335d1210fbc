/* test_edf.c - EDF recordings written here: exact values and events; cut off at every byte, damaged
 * at every byte, and every allocation failing. */
#include "test_image_common.h"

#include "formats/recording.h"

OWNER(recording)

#define CHANNELS 2
#define RATE     4
#define RECORDS  3
#define TEXT     32 /* bytes of annotations in a record */

static void put(file_bytes *file, const char *text, size_t size)
{
    char field[88];
    memset(field, ' ', sizeof field);
    memcpy(field, text, strlen(text));
    bytes_add(file, field, size);
}

/* The same field of all signals; the last one is that of the annotations. */
static void put_all(file_bytes *file, const char *a, const char *b, const char *last, size_t size)
{
    put(file, a, size);
    put(file, b, size);
    put(file, last, size);
}

static int digital(size_t c, size_t i)
{
    return (int)(i * 1000 + c * 7) - 5000;
}

static void put_record(file_bytes *file, size_t r)
{
    char text[TEXT] = {0};
    for (size_t c = 0; c < CHANNELS; c++)
        for (size_t i = 0; i < RATE; i++) {
            const int value = digital(c, r * RATE + i);
            const unsigned char two[2] = {(unsigned char)value, (unsigned char)(value >> 8)};
            bytes_add(file, two, 2);
        }
    const int used = snprintf(text, TEXT, "+%zu.5%c%c", r + 9, 0x14, 0x14) + 1;
    if (r == 1) /* two texts at one time, with a duration */
        snprintf(text + used, TEXT - (size_t)used, "+11%c.5%ca%cbc%c", 0x15, 0x14, 0x14, 0x14);
    bytes_add(file, text, TEXT);
}

static file_bytes make_file(void)
{
    file_bytes file = {NULL, 0};
    put(&file, "0", 8);
    put(&file, "X", 80);
    put(&file, "X", 80);
    put(&file, "01.01.24", 8);
    put(&file, "00.00.00", 8);
    put(&file, "1024", 8);
    put(&file, "EDF+C", 44);
    put(&file, "3", 8);
    put(&file, "1", 8);
    put(&file, "3", 4);
    put_all(&file, "C3", "C4", "EDF Annotations", 16);
    put_all(&file, "", "", "", 80);
    put_all(&file, "uV", "uV", "", 8);
    put_all(&file, "-100", "0", "-1", 8);
    put_all(&file, "100", "65535", "1", 8);
    put_all(&file, "-10000", "-32768", "-32768", 8);
    put_all(&file, "10000", "32767", "32767", 8);
    put_all(&file, "", "", "", 80);
    put_all(&file, "4", "4", "16", 8);
    put_all(&file, "", "", "", 32);
    for (size_t r = 0; r < RECORDS; r++)
        put_record(&file, r);
    return file;
}

TEST(values_and_events)
{
    file_bytes file = make_file();
    recording *made = NULL;
    spd_status status = edf_parse(NULL, file.bytes, file.size, NULL, &made);
    if (!CHECK(status == SPD_OK && made, "%d", (int)status))
        return;
    CHECK(made->channels == CHANNELS && made->samples == RATE * RECORDS && made->rate == RATE, " ");
    CHECK(strcmp(made->name[0], "C3") == 0 && strcmp(made->name[1], "C4") == 0, " ");
    for (size_t i = 0; i < made->samples; i++) {
        CHECK_CLOSE(made->signal[i * CHANNELS], digital(0, i) / 100.0, 1e-12, "sample %zu", i);
        CHECK_CLOSE(made->signal[i * CHANNELS + 1], digital(1, i) + 32768.0, 1e-9, "sample %zu", i);
    }
    /* the first record begins at 9.5 s: times count from there */
    CHECK(made->events.count == 2, "%zu events", made->events.count);
    for (size_t e = 0; e < made->events.count; e++) {
        const recording_event *event = &made->events.event[e];
        CHECK(event->onset == 1.5 && event->duration == 0.5, "%g %g", event->onset,
              event->duration);
        CHECK(strcmp(event->label, e ? "bc" : "a") == 0, "'%s'", event->label);
    }
    recording_free(made);
    made = NULL;
    CHECK(edf_parse(NULL, file.bytes, file.size, "C4", &made) == SPD_OK && made->channels == 1 &&
              made->signal[1] == digital(1, 1) + 32768.0,
          "one channel");
    recording_free(made);
}

TEST(bad_files)
{
    file_bytes file = make_file();
    const long live = mem_live();
    for (size_t size = 0; size < file.size; size++) {
        unsigned char *cut = take(size ? size : 1);
        recording *made = NULL;
        memcpy(cut, file.bytes, size);
        CHECK(edf_parse(NULL, cut, size, NULL, &made) < 0 && !made, "cut to %zu bytes", size);
    }
    for (size_t at = 0; at < file.size; at++)
        for (int wrong = 0; wrong < 4; wrong++) {
            static const unsigned char bytes[] = {0, 0xff, '9', ' '};
            const unsigned char good = file.bytes[at];
            recording *made = NULL;
            file.bytes[at] = bytes[wrong];
            spd_status status = edf_parse(NULL, file.bytes, file.size, NULL, &made);
            CHECK((status < 0) == !made, "byte %zu", at);
            recording_free(made);
            file.bytes[at] = good;
        }
    CHECK(mem_live() == live, "%ld blocks stay", mem_live() - live);
}

TEST(every_allocation_may_fail)
{
    file_bytes file = make_file();
    for (sweep_state s = SWEEP(NULL, 1, NULL, 0); sweep_on(&s);) {
        OWN(recording) made = NULL;
        s.status = edf_parse(NULL, file.bytes, file.size, NULL, &made);
        CHECK_MADE(s, made);
    }
}
