/* What a range costs that is pushed and popped in C, as a program does that includes NVIDIA's headers: the functions
 * stand in global slots that the profiler's library fills, each call loads its slot and tests it, the message is a
 * string that was registered before, and category, colour and payload are set. */

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

/* nvtxEventAttributes_t of NVTX 3. */
struct attributes {
    uint16_t version, size;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const void *message;
};

enum { CORE2 = 5, SLOTS = 16, PUSH = 4, POP = 5, REGISTER = 10, CREATE = 12 };

static void *functions[SLOTS];
static void **slots[SLOTS + 1];
static void *domain, *message;

static int module_table(uint32_t module, void ***table[], uint32_t *size) {
    if (module != CORE2) return 0;
    for (int slot = 1; slot < SLOTS; slot++) slots[slot] = &functions[slot];
    if (table) *table = slots;
    if (size) *size = SLOTS;
    return 1;
}

static struct {
    size_t size;
    int (*module_table)(uint32_t, void ***[], uint32_t *);
} callbacks = {sizeof callbacks, module_table};

static const void *export_table(uint32_t id) { return id == 1 ? &callbacks : NULL; }

/* Loads the profiler's library at `path` and registers `text` with it; 0 where that fails. */
int bare_range_load(const char *path, const char *text) {
    void *library = dlopen(path, RTLD_NOW);
    if (!library) return 0;
    int (*start)(const void *(*)(uint32_t));
    *(void **)&start = dlsym(library, "InitializeInjectionNvtx2");
    if (!start || !start(export_table)) return 0;
    void *(*create)(const char *), *(*registered)(void *, const char *);
    *(void **)&create = functions[CREATE];
    *(void **)&registered = functions[REGISTER];
    if (!create || !registered) return 0;
    domain = create("bare");
    message = registered(domain, text);
    return functions[PUSH] && functions[POP];
}

void bare_range_push(uint64_t payload) {
    int (*push)(void *, const struct attributes *);
    *(void **)&push = *(void *volatile *)&functions[PUSH];
    if (!push) return;
    struct attributes attributes = {
        .version = 3, .size = sizeof attributes, .category = 1, .color_type = 1, .color = 0xff76b900,
        .payload_type = 1, .payload = payload, .message_type = 3, .message = message,
    };
    push(domain, &attributes);
}

void bare_range_pop(void) {
    int (*pop)(void *);
    *(void **)&pop = *(void *volatile *)&functions[POP];
    if (pop) pop(domain);
}
